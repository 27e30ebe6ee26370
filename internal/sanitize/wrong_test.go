package sanitize_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"sync"
	"testing"
	"unsafe"
)

// wrong has misuses. A function that misuses memory is called by misuse, and one
// that releases it by release, so that a test can look for them in the stacks.
var wrong = map[string]func(t *testing.T){
	"write":          func(t *testing.T) { b := released(4096); misuse(func() { b[100] = 1 }) },
	"write last":     func(t *testing.T) { b := released(4096); misuse(func() { b[4095] = 1 }) },
	"write odd last": func(t *testing.T) { b := released(13); misuse(func() { b[12] = 1 }) },
	"read":           func(t *testing.T) { b := released(4096); misuse(func() { sink = b[100] }) },
	"copy out":       func(t *testing.T) { b := released(4096); misuse(func() { copy(make([]byte, 100), b) }) },
	"copy in":        func(t *testing.T) { b := released(4096); misuse(func() { copy(b, make([]byte, 100)) }) },
	"string of":      func(t *testing.T) { b := released(4096); misuse(func() { sinkString = string(b) }) },
	"word":           func(t *testing.T) { b := released(4096); misuse(func() { binary.BigEndian.PutUint64(b[16:], 1) }) },
	"big buffer":     func(t *testing.T) { b := released(1 << 20); misuse(func() { b[777777] = 1 }) },
	"system call": func(t *testing.T) {
		b := released(4096)
		r, w, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		w.WriteString("hello")
		misuse(func() { r.Read(b) })
	},
	"other goroutine, told": func(t *testing.T) {
		p := new(pool)
		b := p.get(4096)
		done, told := make(chan bool), make(chan bool)
		go func() {
			<-told
			misuse(func() { b[1] = 1 })
			done <- true
		}()
		release(p, b)
		told <- true
		<-done
	},
	"other goroutine, at once": func(t *testing.T) {
		p := new(pool)
		b := p.get(4096)
		var both sync.WaitGroup
		both.Go(func() { misuse(func() { b[1] = 1 }) })
		release(p, b)
		both.Wait()
		misuse(func() { b[1] = 1 }) // if the goroutine was first, AddressSanitizer had nothing to report
	},
	"after others": func(t *testing.T) { // that were used and released in between
		p := new(pool)
		b := p.get(4096)
		b2 := p.get(4096)
		release(p, b)
		for range 32 {
			p.put(b2)
			b2 = p.get(4096) // what was released last
			fill(b2)
		}
		misuse(func() { b[1] = 1 })
	},

	// AddressSanitizer finds nothing wrong here: the memory is poisoned already, or may
	// be accessible again.
	"released twice": func(t *testing.T) {
		p := new(pool)
		b := p.get(4096)
		release(p, b)
		release(p, b)
	},
	"after reuse elsewhere": func(t *testing.T) {
		p := new(pool)
		b := p.get(4096)
		release(p, b)
		var done sync.WaitGroup
		// Written at once: the detector keeps four accesses to each 8 bytes.
		done.Go(func() { copy(p.get(4096), make([]byte, 4096)) })
		misuse(func() { b[1] = 1 })
		done.Wait()
	},

	// No tool sees what assembly does, or looks at the bytes of a string.
	"string alias": func(t *testing.T) {
		b := released(4096)
		s := unsafe.String(&b[0], len(b))
		misuse(func() { sink = s[7] })
	},
	"clear":           func(t *testing.T) { clear(released(4096)) },
	"bytes.IndexByte": func(t *testing.T) { sink = byte(bytes.IndexByte(released(4096), 1)) },
	"bytes.Compare":   func(t *testing.T) { sink = byte(bytes.Compare(released(4096), make([]byte, 4096))) },
}

var (
	sink       byte
	sinkString string
)

// released returns memory that its owner has just released.
func released(n int) []byte {
	p := new(pool)
	b := p.get(n)
	fill(b)
	release(p, b)
	return b
}

//go:noinline
func release(p *pool, b []byte) { p.put(b) }

//go:noinline
func misuse(f func()) { f() }

func fill(b []byte) {
	for i := range b {
		b[i] = byte(i)
	}
}
