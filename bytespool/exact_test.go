package bytespool_test

import (
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
)

// The largest class has exactly what was asked for, whatever else is chosen: arrays of that
// size come from it and go back to it.
func TestExactMax(t *testing.T) {
	const n = 65535
	limit := bytespool.WithLimit(16 * n)
	for name, opts := range map[string][]bytespool.Option{
		"alone":          nil,
		"steps":          {bytespool.WithSteps(4)},
		"limit":          {limit},
		"steps, limit":   {bytespool.WithSteps(2), limit},
		"budget":         {bytespool.WithIdleBudget(64 * n)},
		"clear":          {bytespool.WithClear(bytespool.ClearOnGet)},
		"clear, release": {bytespool.WithClear(bytespool.ClearOnRelease)},
	} {
		for _, least := range []int{2, n} {
			t.Run(name, func(t *testing.T) {
				defer quiet()()
				p := bytespool.NewPool(append(opts, bytespool.WithExactMax(), bytespool.WithSizes(least, n))...)
				if got := engine.Of(p).CapacityOf(n - 100); got != n {
					t.Errorf("%d bytes have %d", n-100, got)
				}
				a := (*[n]byte)(p.New(n))
				if !engine.Of(p).Release(a[:]) {
					t.Error("the array was not kept")
				}
				b := p.New(n - 100)
				if cap(b) != n || (*[n]byte)(b[:n]) != a {
					t.Errorf("a request for less got a slice of %d bytes, or another one", cap(b))
				}
				p.Release(b)

				c := p.New(n + 1) // outside, as if n were a power of two
				if cap(c) != n+1 || engine.Of(p).Release(c) {
					t.Errorf("a slice of %d bytes is kept", cap(c))
				}
				s := p.Stats()
				if s.Gets != 2 || s.Hits != 1 || s.InUse != 0 || s.OutGets != 1 || s.Dropped.FrontCut != 0 {
					t.Errorf("%+v", s)
				}
				b = p.New(n)
				p.Release(b[8:]) //poolcheck:ignore OCT006 the front is cut off on purpose
				if rt.FindsFronts && p.Stats().Dropped.FrontCut != 1 {
					t.Errorf("a slice without its front: %+v", p.Stats().Dropped)
				}
			})
		}
	}
}

// Buffers, and slices by pointer, of pools with such a class.
func TestExactMaxOfObjects(t *testing.T) {
	defer quiet()()
	const n = 5000
	p := bytespool.NewPool(bytespool.WithSizes(2, n), bytespool.WithExactMax())
	pointers, buffers := bytespool.NewPointerPool(p), buffer.NewPool(p)
	for _, size := range []int{n - 1, n, n + 1, 8192, 8193} {
		want := size
		if size <= n {
			want = n
		}
		for range 2 {
			s := pointers.Get(size)
			if len(*s) != size || cap(*s) != want {
				t.Errorf("a pointer to %d bytes of %d", len(*s), cap(*s))
			}
			pointers.Put(s)
			b := buffers.Make(size)
			if b.Cap() != want {
				t.Errorf("a Buffer for %d bytes has %d", size, b.Cap())
			}
			b.Release()
		}
	}
	if s := p.Stats(); s.InUse != 0 || s.Hits == 0 {
		t.Errorf("%+v", s)
	}
}
