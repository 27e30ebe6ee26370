package buffer

import (
	"errors"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
)

// TryGet asks, and what a Buffer grows by counts without asking.
func TestTryGet(t *testing.T) {
	for _, mode := range []check.Config{{}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Full}} {
		for _, portable := range []bool{false, true} {
			checktest.Start(t, mode)
			p := usePool(t, engine.Config{Limit: 16 << 10, Portable: portable})
			want := func(what string, n int64) {
				t.Helper()
				if s := p.LimitStats(); s.InUse != n || s.Reserved != 0 {
					t.Errorf("mode %v: %s: %+v, want %d bytes in use", mode.Mode, what, s, n)
				}
			}
			for range 3 { // new Buffers, then idle ones
				var all []*Buffer
				for range 4 {
					b, err := TryGet(4000)
					if err != nil || b.Cap() != 4096 || b.Len() != 0 {
						t.Fatalf("mode %v: capacity %d, length %d: %v", mode.Mode, b.Cap(), b.Len(), err)
					}
					all = append(all, b)
				}
				want("4 Buffers", 16<<10)
				if b, err := TryGet(1); !errors.Is(err, bytespool.ErrLimit) || b != nil {
					t.Fatalf("mode %v: at the limit: %v", mode.Mode, err)
				}
				if n, err := all[0].Write(make([]byte, 8000)); n != 8000 || err != nil {
					t.Errorf("mode %v: a write wrote %d bytes: %v", mode.Mode, n, err)
				}
				want("one has grown", 3*4096+8192)
				more := Get()
				more.WriteByte(1)
				want("beside it one more", 3*4096+8192+int64(more.Cap()))
				more.Release()
				for _, b := range all {
					b.Release()
				}
				want("all are released", 0)
			}
			if _, err := TryGet(20000); !errors.Is(err, bytespool.ErrLimit) {
				t.Errorf("mode %v: above the limit: %v", mode.Mode, err)
			}
			check.Set(check.Config{})
		}
	}
}

// Without a limit TryGet is Make, and refuses the same sizes.
func TestTryGetWithoutLimit(t *testing.T) {
	usePool(t, engine.Config{})
	for _, size := range []int{-1, 0, 1, 5000, 5 << 20} {
		b, err := TryGet(size)
		if err != nil {
			t.Fatal(err)
		}
		m := Make(size)
		if b.Cap() != m.Cap() || b.Len() != 0 {
			t.Errorf("TryGet(%d): capacity %d, length %d, Make has %d", size, b.Cap(), b.Len(), m.Cap())
		}
		b.Release()
		m.Release()
	}
	tooLarge := maxSize
	if tooLarge++; tooLarge < 0 {
		return // no int is too large
	}
	defer func() {
		if recover() != ErrTooLarge {
			t.Error("a size that no Buffer can have does not panic")
		}
	}()
	TryGet(tooLarge)
}

// Arrays that readers still look at are left to the collector, and do not count.
func TestLimitOfArraysLeft(t *testing.T) {
	for _, size := range []int{4096, 5 << 20} { // of a class, and of none
		p := usePool(t, engine.Config{Limit: 64 << 20})
		b, err := TryGet(size)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(make([]byte, size))
		s := b.Share()
		b.Write(make([]byte, 3*size))
		if n := p.LimitStats().InUse; n < int64(b.Cap()) || n > int64(b.Cap()+size) {
			t.Errorf("%d bytes in use, the Buffer has %d", n, b.Cap())
		}
		s.Release()
		b.Release()
		if n := p.LimitStats().InUse; n != 0 {
			t.Errorf("%d bytes in use in the end", n)
		}
	}
}

// A Buffer that TryGet returns has what was admitted, though a larger one is idle.
func TestTryGetAboveMaxSize(t *testing.T) {
	p := usePool(t, engine.Config{MinSize: 2, MaxSize: 66_000, Limit: 1_000_000})
	for range 3 {
		var all []*Buffer
		size := 0
		for b, err := TryGet(100_000); err == nil; b, err = TryGet(100_000) {
			if all = append(all, b); b.Cap() != p.CapacityOf(100_000) {
				t.Errorf("a Buffer has %d bytes, %d were admitted", b.Cap(), p.CapacityOf(100_000))
			}
			size += b.Cap()
		}
		if n := p.LimitStats().InUse; n != int64(size) || n > 1_000_000 {
			t.Errorf("%d Buffers have %d bytes, and %d count", len(all), size, n)
		}
		for _, b := range all {
			b.Release()
		}
		if n := p.LimitStats().InUse; n != 0 {
			t.Errorf("%d bytes in use, all is released", n)
		}
		for i := range all { // as many idle ones, with 131,072 each
			all[i] = Make(66_000)
		}
		for _, b := range all {
			b.Release()
		}
	}
}

// A pool that Buffers have used up to its limit keeps it.
func TestLimitOfBuffersStaysIdle(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("a sanitizer's build keeps nothing on the stacks")
	}
	p := usePool(t, engine.Config{Limit: 8 << 20})
	for _, size := range []int{4 << 10, 64 << 10} {
		p.Trim()
		var all []*Buffer
		for b, err := TryGet(size); err == nil; b, err = TryGet(size) {
			all = append(all, b)
		}
		for _, b := range all {
			b.Release()
		}
		var idle int64
		for _, k := range p.Stats().Classes {
			idle += int64(k.Idle) * int64(k.Capacity)
		}
		if idle < 8<<20/100*95 {
			t.Errorf("%d bytes are idle after Buffers of %d", idle, size)
		}
	}
}
