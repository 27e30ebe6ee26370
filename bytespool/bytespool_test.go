package bytespool_test

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
)

func TestDefaultBounds(t *testing.T) {
	if lo, hi := engine.Of(bytespool.NewPool()).Sizes(); lo != 2 || hi != 64<<20 {
		t.Errorf("NewPool() has bounds %d and %d, want 2 and 64 MiB", lo, hi)
	}
}

func TestTooLargePanics(t *testing.T) {
	p := bytespool.NewPool(bytespool.WithSizes(2, 1024))
	for name, f := range map[string]func(){
		"option": func() { bytespool.NewPool(bytespool.WithSizes(2, 4), bytespool.WithClear(77)) },
		"Append": func() {
			// It says that it is as long as can be, and nobody may look whether it is.
			most := []byte{0}
			(*[3]int)(unsafe.Pointer(&most))[1] = math.MaxInt
			p.Append([]byte{0}, most...)
		},
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "bytespool: ") {
					t.Errorf("%s: panic with %q, want a message of bytespool", name, s)
				}
			}()
			f()
			t.Errorf("%s did not panic", name)
		}()
	}
	if before := p.Stats(); before.OutGets != 0 {
		t.Error("a request that panicked was counted")
	}
}

// Append is what the built-in append is, from every state to every length,
// also where the elements are part of the buffer.
func TestAppend(t *testing.T) {
	p := bytespool.NewPool(bytespool.WithSizes(4, 256))
	for _, capacity := range []int{0, 3, 4, 100, 256, 300} {
		for length := 0; length <= capacity; length += 1 + capacity/7 {
			for _, n := range []int{0, 1, 3, 29, 200, 1000} {
				var b []byte
				if capacity > 0 {
					b = p.Make(capacity)[:length]
				}
				for i := range b {
					b[i] = byte(i)
				}
				elems := bytes.Repeat([]byte{7}, n)
				want := append(bytes.Clone(b), elems...)
				if got := p.Append(b, elems...); !bytes.Equal(got, want) {
					t.Fatalf("Append of %d to %d of %d: wrong content", n, length, capacity)
				}
			}
		}
	}
	b := append(p.Make(16), "0123456789abcdef"...)
	if b = p.Append(b, b[4:]...); string(b) != "0123456789abcdef456789abcdef" {
		t.Errorf("elements that are part of the buffer: %q", b)
	}
}

// Append stays where it is while there is room, and then moves to a slice of the pool
// and releases what it grew out of.
func TestAppendReleases(t *testing.T) {
	p := bytespool.NewPool(bytespool.WithSizes(4, 1<<16))
	b := p.Make(4)
	for length := 1; length < 10000; length += 3 {
		before := b
		b = p.Append(b, make([]byte, length-len(b))...)
		if moved := &b[0] != &before[:1][0]; moved != (length > cap(before)) {
			t.Fatalf("to %d bytes in %d: moved: %v", length, cap(before), moved)
		}
		if s := p.Stats(); s.InUse != 1 || s.InUseBytes != int64(cap(b)) {
			t.Fatalf("%d slices of %d bytes are in use, want one of %d", s.InUse, s.InUseBytes, cap(b))
		}
	}
	before := b
	if b = p.Append(b, make([]byte, cap(b)-len(b))...); &b[0] != &before[0] {
		t.Error("Append of as much as there is room for moved")
	}
	p.Release(b)
}

// Above the largest size, too, appending copies a constant amount a byte.
func TestAppendAboveTheLargest(t *testing.T) {
	p := bytespool.NewPool(bytespool.WithSizes(4, 1<<10))
	b := p.Make(1 << 10)[:1<<10]
	moves := 0
	for len(b) < 1<<20 {
		before := cap(b)
		if b = p.Append(b, 'x'); cap(b) != before {
			moves++
		}
	}
	if moves > 40 { // of a quarter each, 31 are 2^10
		t.Errorf("1 KiB moved %d times on its way to 1 MiB", moves)
	}
}

// A BufPool's own slices come back, whatever the size.
func TestBufPoolKeepsItsOwn(t *testing.T) {
	for _, size := range []int{0, 1, 2, 100, 10000, 32 << 10, 5 << 20} {
		p := bytespool.NewBufPool(size)
		for range 3 {
			b := p.Get()
			if b == nil || len(b) != size {
				t.Fatalf("BufPool(%d).Get has length %d", size, len(b))
			}
			p.Put(b)
		}
	}
	p := bytespool.NewBufPool(10000)
	p.Put(p.Get())
	if n := testing.AllocsPerRun(100, func() { p.Put(p.Get()) }); n > 0 && !sanitize.Enabled {
		t.Errorf("%v allocations for a Get and Put", n)
	}
	p.Put(nil)
	p.Put(make([]byte, 10))
	if n := len(p.Get()); n != 10000 {
		t.Errorf("length %d after foreign slices were put", n)
	}
}

func TestStatsAddUp(t *testing.T) {
	p := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithName("test"), bytespool.WithIdleBudget(64<<10))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 1000 {
				b := p.New(i)
				if i%10 > 0 {
					p.Release(b)
				}
			}
			p.Release(make([]byte, 1))
			p.New(5000)
			p.Release(make([]byte, 8192)) // after New, or it would be taken for one that has grown
		})
	}
	wg.Wait()
	s := p.Stats()
	if s.Name != "test" || s.Gets != 8000 || s.Puts != 7200 || s.InUse != 800 || s.Hits+s.Misses != 8000 ||
		s.TooSmall != 8 || s.TooLarge != 8 || s.OutGets != 8 || s.OutBytes != 40000 || s.IdleBytes > 64<<10 {
		t.Errorf("%+v", s)
	}
	var sum stats.Class
	for i, c := range s.Classes {
		if i > 0 && c.Capacity <= s.Classes[i-1].Capacity {
			t.Errorf("class %d is not above the one before", c.Capacity)
		}
		if c.Hits+c.Misses != c.Gets || c.InUse != int64(c.Gets)-int64(c.Puts) {
			t.Errorf("%+v", c)
		}
		if c.Puts != c.Hits+c.Dropped.OverBudget+c.Dropped.OverBound+c.Dropped.Aged+c.Dropped.Trimmed+uint64(c.IdleBytes)/uint64(c.Capacity) {
			t.Errorf("the releases of class %d went nowhere: %+v", c.Capacity, c)
		}
		sum.Gets += c.Gets
		sum.IdleBytes += c.IdleBytes
	}
	if sum.Gets != s.Gets || sum.IdleBytes != s.IdleBytes {
		t.Errorf("the classes add up to %+v, the totals are %+v", sum, s)
	}
}

func TestZeroPool(t *testing.T) {
	var p bytespool.Pool
	b := p.New(10)
	p.Release(b)
	if len(b) != 10 || p.Trim() != 0 || p.Stats().Gets != 0 {
		t.Error("the zero value does not behave as documented")
	}
	p.Release(p.Append(p.Make(1), []byte("more than that")...))
}

func TestNoAllocations(t *testing.T) {
	tests := map[string]func(){
		"New":      func() { bytespool.Release(bytespool.New(1000)) },
		"Make":     func() { bytespool.Release(bytespool.Make(1000)) },
		"NewBytes": func() { bytespool.Release(bytespool.Append(nil, content...)) },
		"Append":   func() { bytespool.Release(bytespool.Append(bytespool.Make(10), content...)) },
	}
	for name, opts := range variants {
		p := bytespool.NewPointerPool(bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(2, 1<<20)}, opts...)...))
		tests["PointerPool, "+name] = func() { p.Put(p.Get(5000)) }
	}
	for name, f := range tests {
		f()
		if sanitize.Enabled { // which allocates
			continue
		}
		if n := testing.AllocsPerRun(200, f); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

var content = make([]byte, 300)
