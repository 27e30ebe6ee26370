package engine

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

func newPool(c Config) *Pool {
	if c.MaxSize == 0 {
		c.MinSize, c.MaxSize = 2, 4<<20
	}
	p := new(Pool)
	p.Init(c)
	return p
}

// onBothEngines runs a test on the portable engine, and on the pinned one where
// this build has it.
func onBothEngines(t *testing.T, f func(t *testing.T, c Config)) {
	t.Run("portable", func(t *testing.T) { f(t, Config{Portable: true}) })
	if rt.Pinned {
		t.Run("pinned", func(t *testing.T) { f(t, Config{}) })
	}
}

// onAllKinds is onBothEngines for pools with and without steps.
func onAllKinds(t *testing.T, f func(t *testing.T, c Config)) {
	onBothEngines(t, func(t *testing.T, c Config) {
		steps := []int{1, 2, 4}
		if testing.Short() {
			steps = []int{1}
			if !c.Portable {
				steps = []int{1, 4}
			}
		}
		for _, c.Steps = range steps {
			t.Run("steps="+strconv.Itoa(c.Steps), func(t *testing.T) { f(t, c) })
		}
	})
}

// quietly runs f on one thread and without collections, so that the last slice
// released is the next one handed out.
func quietly(t *testing.T, f func()) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 3 { // what follows a collection may still be going on, and may arm again
		done := make(chan bool)
		runtime.SetFinalizer(new([]byte), func(*[]byte) { close(done) })
		runtime.GC()
		<-done
	}
	f()
}

func idle(p *Pool) (n int64) {
	for _, c := range p.Stats().Classes {
		n += int64(c.Idle) * int64(c.Capacity)
	}
	return n
}

func TestClear(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			dirty := func(b []byte) {
				for i := range b[:cap(b)] {
					b[:cap(b)][i] = 0xFF
				}
			}
			c.MinSize, c.MaxSize, c.Clear = 2, 64<<10, ClearOnGet
			p := newPool(c)
			for range 100 {
				b := p.New(1000)
				if i := firstNonZero(b); i >= 0 {
					t.Fatalf("ClearOnGet: byte %d is not zero", i)
				}
				dirty(b)
				p.Release(b)
			}
			if b := p.New(100 << 10); firstNonZero(b) >= 0 {
				t.Error("ClearOnGet: a slice above the largest class is not clear")
			}

			c.Clear = ClearOnRelease
			p = newPool(c)
			for range 100 {
				b := p.New(1000)
				dirty(b)
				p.Release(b[:10])
				again := p.New(1000)
				if &again[0] != &b[0] {
					t.Fatal("another slice came back")
				}
				if i := firstNonZero(again[:cap(again)]); i >= 0 {
					t.Fatalf("ClearOnRelease: byte %d is not zero after the release", i)
				}
				p.Release(again)
			}
			for _, n := range []int{1, 64<<10 + 1, 1 << 20} {
				b := make([]byte, n)
				dirty(b)
				kept := p.Release(b[:0])
				sanitize.Reused(b) // nobody else has it, and the test looks
				if kept || firstNonZero(b) >= 0 {
					t.Errorf("ClearOnRelease: a slice of %d bytes was kept (%v) or not cleared", n, kept)
				}
			}
		})
	})
}

func firstNonZero(b []byte) int {
	for i, x := range b {
		if x != 0 {
			return i
		}
	}
	return -1
}

// After Reconfigure the new sizes hold, and what no class takes any more is dropped.
func TestReconfigure(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := newPool(c)
		keep(p, 100, 64)
		keep(p, 100, 64<<10)
		p.Reconfigure(512, 4096)
		if b := p.New(10); cap(b) != 512 {
			t.Errorf("New(10) has capacity %d, want 512", cap(b))
		}
		if n := idle(p); n > 0 || p.Release(make([]byte, 8192)) || p.Release(make([]byte, 256)) {
			t.Errorf("the sizes from before hold; %d bytes are idle", n)
		}
	})
}

func TestZeroPoolKeepsNothing(t *testing.T) {
	var p Pool
	p.Reconfigure(2, 1024)
	b := p.New(100)
	if len(b) != 100 || cap(b) != 100 || p.Release(b) || p.Trim() != 0 {
		t.Errorf("len %d, cap %d", len(b), cap(b))
	}
}
