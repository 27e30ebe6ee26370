package oct003

import (
	"bytes"
	"log"
	"os"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
)

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

// ok: the deferred release in a loop has a slice of its own each round.
func deferInLoop(names []string) error {
	for _, name := range names {
		b := bytespool.New(512)
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
	b := bytespool.New(512)
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
	b := bytespool.New(512)
	defer bytespool.Release(b)
	defer func() {
		if e := recover(); e != nil {
			log.Print(e)
		}
	}()
	parse(b)
}

// putBack is a generic release.
func putBack[T any](p *sync.Pool, v *T) { p.Put(v) }

// ok: a generic helper alone.
func genericOnce() {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	putBack(&bufPool, buf)
}
