package oct003

import (
	"bytes"
	"io"
	"log"
	"net"
	"os"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
)

// ok: the goroutine is the owner.
func oneOwner(c net.Conn, text string) {
	msg := bytespool.NewString(text)
	go func() {
		c.Write(msg)
		bytespool.Release(msg)
	}()
}

// ok: what could not be sent is released here.
func sentOrReleased(r io.Reader, out chan<- []byte) {
	msg := bytespool.Get(64)
	io.ReadFull(r, msg)
	select {
	case out <- msg:
	default:
		bytespool.Release(msg)
	}
}

// shared is closed by whoever comes first.
type shared struct {
	b    []byte
	done atomic.Bool
}

// ok: only the first call gets past the flag.
func (s *shared) Close() error {
	if s.done.CompareAndSwap(false, true) {
		bytespool.Release(s.b)
	}
	return nil
}

// ok: sync.Once does the same.
func closer(b []byte) func() {
	var once sync.Once
	return func() { once.Do(func() { bytespool.Release(b) }) }
}

// ok: two fields, two pieces of memory.
func twoFields(r io.Reader) {
	var rec struct{ key, val []byte }
	rec.key = bytespool.Get(8)
	rec.val = bytespool.Get(64)
	r.Read(rec.key)
	r.Read(rec.val)
	bytespool.Release(rec.key)
	bytespool.Release(rec.val)
}

// ok: the variable holds other memory at the second release.
func variableTwice(r io.Reader) {
	b := bytespool.Get(8)
	r.Read(b)
	bytespool.Release(b)
	b = bytespool.Get(64)
	r.Read(b)
	bytespool.Release(b)
}

// ok: a release of nil does nothing.
func nilAfterRelease(r io.Reader, twice bool) {
	b := bytespool.Get(8)
	r.Read(b)
	bytespool.Release(b)
	b = nil
	if twice {
		bytespool.Release(b)
	}
}

// ok: the elements are different in each round.
func eachElement(parts [][]byte) {
	for i, p := range parts {
		bytespool.Release(p)
		parts[i] = nil
	}
}

// ok: the deferred release in a loop has a slice of its own each round.
func deferInLoop(names []string) error {
	for _, name := range names {
		b := bytespool.Get(512)
		defer bytespool.Release(b)
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		f.Read(b)
		f.Close()
	}
	return nil
}

// bad: the recovered panic releases what the defer behind it releases too.
func recoverAndDefer(parse func([]byte)) {
	b := bytespool.Get(512)
	defer bytespool.Release(b) // want "OCT003: .*b.*"
	defer func() {
		if e := recover(); e != nil {
			log.Print(e)
		}
		bytespool.Release(b)
	}()
	parse(b)
}

// ok: the recovered panic only logs.
func recoverOnly(parse func([]byte)) {
	b := bytespool.Get(512)
	defer bytespool.Release(b)
	defer func() {
		if e := recover(); e != nil {
			log.Print(e)
		}
	}()
	parse(b)
}

// release2 releases both of its arguments.
func release2(a, b []byte) {
	bytespool.Release(a)
	bytespool.Release(b)
}

// bad: the same memory is given to both parameters.
func sameForBoth(r io.Reader) {
	b := bytespool.Get(8)
	r.Read(b)
	release2(b, b) // want "OCT003: .*b.*"
}

// ok: different memory for each parameter.
func differentForBoth(r io.Reader) {
	a, b := bytespool.Get(8), bytespool.Get(8)
	r.Read(a)
	r.Read(b)
	release2(a, b)
}

// putBack is a generic release.
func putBack[T any](p *sync.Pool, v *T) { p.Put(v) }

// bad: a generic helper and the pool itself.
func genericTwice() {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	putBack(&bufPool, buf)
	bufPool.Put(buf) // want "OCT003: .*buf.*"
}

// ok: a generic helper alone.
func genericOnce() {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	putBack(&bufPool, buf)
}
