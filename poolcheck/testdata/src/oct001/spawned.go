package oct001

import (
	"os"

	"github.com/octet-go/octet/bytespool"
)

// bad: a literal that captures itself ends the search, and hides nothing.
func recursive(run func(func(int))) {
	b := append(bytespool.Make(len("x")), "x"...)
	var again func(n int)
	again = func(n int) {
		if n > 0 {
			again(n - 1)
		}
	}
	run(again)
	bytespool.Release(b)
	bytespool.Release(b) // want "OCT003: b is released twice"
}

func print(b []byte) { os.Stdout.Write(b) }

// bad: the goroutine is given what went back.
func printed() {
	b := bytespool.New(8)
	bytespool.Release(b)
	go print(b) // want "OCT001: b is used after its release"
}
