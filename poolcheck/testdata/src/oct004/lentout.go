package oct004

import (
	"io"
	"sync"

	"oct004/engine"

	"github.com/octet-go/octet/bytespool"
)

var engines = sync.Pool{New: func() any { return new(engine.Engine) }}

// bad: an error after the call of a method loses it.
func steppedFirst(n int) error {
	m := engines.Get().(*engine.Engine) // want "OCT004: m is not released on every path"
	m.Step(n)
	if err := check(n); err != nil {
		return err
	}
	engines.Put(m)
	return nil
}

func check(n int) error {
	if n < 0 {
		return io.ErrShortBuffer
	}
	return nil
}

// A tenancy has a slice, and gives it back by itself.
type tenancy struct{ b []byte }

func (l *tenancy) Write(p []byte) (int, error) { return copy(l.b, p), nil }

// ok: gives back what it has.
func (l *tenancy) Close() error {
	bytespool.Release(l.b)
	return nil
}

// ok: Close, by an interface, releases.
func leasedClosed(p []byte) error {
	var w io.WriteCloser = &tenancy{b: bytespool.New(64)}
	if _, err := w.Write(p); err != nil {
		return w.Close()
	}
	return w.Close()
}
