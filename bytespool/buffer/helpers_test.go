package buffer

import (
	"testing"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
)

// usePool makes the package use another pool until the test ends.
func usePool(t testing.TB, c engine.Config) *engine.Pool {
	if c.MaxSize == 0 {
		c.MinSize, c.MaxSize = 2, 4<<20
	}
	p := new(engine.Pool)
	p.Init(c)
	useSource(t, p)
	return p
}

// onAllEngines runs a test on the portable engine, on the pinned one where this
// build has it, and on pools that have a budget or clear.
func onAllEngines(t *testing.T, f func(t *testing.T, p *engine.Pool)) {
	for _, e := range []struct {
		name string
		c    engine.Config
		ok   bool
	}{
		{"portable", engine.Config{Portable: true}, true},
		{"pinned", engine.Config{}, rt.Pinned},
		{"budget", engine.Config{Options: stats.Options{Budget: 1 << 30}}, true},
		{"clear", engine.Config{Clear: engine.ClearOnRelease}, true},
	} {
		if e.ok {
			t.Run(e.name, func(t *testing.T) { onOneStripe(func() { f(t, usePool(t, e.c)) }) })
		}
	}
}

// onOneStripe calls f where the stack has 1,600 bytes left until it would count as
// another stripe: the portable engine finds a stripe by the stack's address.
//
//go:noinline
func onOneStripe(f func()) { step(f, 64) }

//go:noinline
func step(f func(), left int) {
	if left > 0 && rt.Stripe() != stripeBelow() {
		step(f, left-1)
		return
	}
	f()
}

//go:noinline
func stripeBelow() uint {
	var frame [1600]byte
	for i := range frame {
		frame[i] = byte(i)
	}
	return rt.Stripe() + uint(frame[0])
}

// manyRounds returns n, or less in builds that take longer for each.
func manyRounds(n int) int {
	if !rt.Pinned {
		return n / 5
	}
	return n
}

// inUse returns the number of arrays that p has handed out and that were not released.
func inUse(p *engine.Pool) (n int64) {
	for _, c := range p.Stats().Classes {
		n += int64(c.Gets) - int64(c.Puts)
	}
	return n
}

// idleBytes returns what p keeps.
func idleBytes(p *engine.Pool) (n int64) {
	s := p.Stats()
	for _, c := range s.Classes {
		n += int64(c.Idle) * int64(c.Capacity)
	}
	return n
}

// mustPanic calls f, which must panic with want.
func mustPanic(t *testing.T, want any, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic with %v, want %v", got, want)
		}
	}()
	f()
}

// useSource makes the package take memory from p until the test ends.
func useSource(t testing.TB, p *engine.Pool) {
	before := shared
	t.Cleanup(func() { shared = before })
	shared = newSource(p)
}

func newString(s string) *Buffer { return newBytes([]byte(s)) }

// newBytes returns a Buffer with a copy of p.
func newBytes(p []byte) *Buffer {
	b := Make(len(p))
	b.B = append(b.B, p...)
	return b
}

// lengthen lengthens the content by n bytes.
func (b *Buffer) lengthen(n int) {
	b.Grow(n)
	b.B = b.B[:len(b.B)+n]
}
