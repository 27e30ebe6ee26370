package oct003

import (
	"io"
	"sync"
)

var sizeClasses [4]sync.Pool

func allocClass(n int) []byte {
	for i := range sizeClasses {
		if n <= 1024<<i {
			return sizeClasses[i].Get().([]byte)
		}
	}
	return make([]byte, n)
}

// freeClass looks at the capacity, and at the slice itself only in a later block.
func freeClass(b []byte) {
	size := cap(b)
	b = b[:size]
	for i := len(sizeClasses) - 1; i >= 0; i-- {
		if size >= 1024<<i {
			sizeClasses[i].Put(b)
			return
		}
	}
}

// bad: the defer has taken the slice that the loop frees when it grows.
func growByHand(r io.Reader, size int) (sum int, err error) {
	data := allocClass(size)
	defer freeClass(data) // want "OCT003: data is released twice"
	for {
		n, err := r.Read(data)
		if err != nil {
			return sum, err
		}
		sum += n
		if n == len(data) {
			grown := allocClass(2 * n) // want "OCT004: grown is not released on every path"
			copy(grown, data)
			freeClass(data)
			data = grown
		}
	}
}
