package bytespool_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// Capacities are no more above what was asked for than the documentation says.
func TestSteps(t *testing.T) {
	for steps, most := range map[int]float64{1: 2, 2: 1.5, 4: 1.25} {
		p := bytespool.NewPool(bytespool.WithSteps(steps))
		for size := 3; size <= 4<<20; {
			b := p.New(size) // a byte more than the class below holds: the worst case of each
			switch c := cap(b); {
			case size <= 256 && c != 1<<bits.Len(uint(size-1)):
				t.Fatalf("%d steps: %d bytes have a capacity of %d", steps, size, c)
			case size > 256 && float64(c) > most*float64(size):
				t.Fatalf("%d steps: %d bytes have a capacity of %d, which is more than %v times as much", steps, size, c, most)
			}
			p.Release(b)
			size = cap(b) + 1
		}
	}
}

func TestStepsPanic(t *testing.T) {
	for _, n := range []int{-1, 0, 3, 5, 8} {
		func() {
			defer func() {
				got, want := fmt.Sprint(recover()), fmt.Sprintf("bytespool: WithSteps(%d): use 1, 2 or 4", n)
				if !strings.HasPrefix(got, want) {
					t.Errorf("%d steps: %s, want %s", n, got, want)
				}
			}()
			bytespool.NewBufPool(1000, bytespool.WithSteps(n))
		}()
	}
}

// burst takes n slices of 64 KiB at once and releases them.
func burst(p *bytespool.Pool, n int, while func()) {
	held := make([][]byte, n)
	for i := range held {
		held[i] = p.New(64 << 10)
	}
	while()
	for _, b := range held {
		p.Release(b)
	}
}

// collect runs n collections, and waits until the pools have noticed each. There are no
// others meanwhile: see testenv.Quietly.
func collect(t *testing.T, n int) {
	t.Helper()
	any := bytespool.NewPool(bytespool.WithSizes(64, 64))
	for range n {
		any.Release(any.New(64)) // or no pool may keep anything, and none notices
		begun := time.Now()
		runtime.GC()
		testenv.Eventually(t, "the pools notice a collection", func() bool { return any.Stats().Pressure.At.After(begun) })
	}
}

// A pool that nobody uses keeps nothing after two collections that are at least its
// retention apart, and everything after the first.
func TestNothingIsKeptForEver(t *testing.T) {
	for name, c := range map[string]struct {
		retain time.Duration
		opts   []bytespool.Option
	}{
		"by default": {time.Second, nil},
		"200ms":      {200 * time.Millisecond, []bytespool.Option{bytespool.WithRetain(200 * time.Millisecond)}},
		"0":          {0, []bytespool.Option{bytespool.WithRetain(0)}},
		"negative":   {0, []bytespool.Option{bytespool.WithRetain(-time.Hour)}},
		"all options": {100 * time.Millisecond, []bytespool.Option{bytespool.WithRetain(100 * time.Millisecond), bytespool.WithSteps(4),
			bytespool.WithIdleBudget(1 << 30), bytespool.WithClear(bytespool.ClearOnRelease), bytespool.WithName("test")}},
	} {
		t.Run(name, func(t *testing.T) {
			testenv.Quietly(t)
			p := bytespool.NewPool(c.opts...)
			const n = 300
			began := time.Now()
			burst(p, n, func() {})
			collect(t, 1)
			if got := p.Stats().IdleBytes; got < n*64<<10 {
				t.Errorf("%d bytes are idle after a collection", got)
			}
			time.Sleep(c.retain)
			collect(t, 1)
			if got := p.Stats().IdleBytes; got != 0 {
				t.Errorf("%d bytes are idle after the second", got)
			}
			p.Trim() // waits until all is noted that has been dropped
			if s := p.Stats(); s.Dropped.Aged != n || s.DroppedBytes.Aged != n*64<<10 || s.LastDrop.Before(began) {
				t.Errorf("%+v", s)
			}
		})
	}
}

// What was in use at once within the retention is found again, whatever the number of
// collections, before its release and after.
func TestBurstIsFoundAgain(t *testing.T) {
	testenv.Quietly(t)
	for _, opts := range [][]bytespool.Option{
		nil,
		{bytespool.WithSteps(2)},
		{bytespool.WithSteps(4), bytespool.WithIdleBudget(1 << 30), bytespool.WithClear(bytespool.ClearOnGet)},
	} {
		p := bytespool.NewPool(append(opts, bytespool.WithRetain(time.Minute))...)
		for _, collections := range []int{1, 2, 4, 10} {
			burst(p, 256, func() { collect(t, collections) })
			before := p.Stats()
			collect(t, collections)
			burst(p, 256, func() {})
			if n := p.Stats().Misses - before.Misses; n > 2 { // 1 %
				t.Errorf("%d collections: %d of 256 slices were allocated", collections, n)
			}
		}
	}
}

// All options work together, in every mode, while the pools are used and their bounds
// change.
func TestOptionsTogether(t *testing.T) {
	for _, mode := range []check.Config{{}, {Mode: check.Sample, OneIn: 3}, {Mode: check.Full}, {Mode: check.Guard}} {
		for _, steps := range []int{1, 2, 4} {
			for _, clear := range []bytespool.ClearPolicy{bytespool.ClearNever, bytespool.ClearOnGet, bytespool.ClearOnRelease} {
				t.Run(fmt.Sprintf("%v/steps=%d/clear=%d", mode.Mode, steps, clear), func(t *testing.T) {
					found := checktest.Start(t, mode)
					const budget = 4 << 20
					p := bytespool.NewPool(bytespool.WithSizes(16, 1<<18), clear, bytespool.WithSteps(steps), bytespool.WithIdleBudget(budget), bytespool.WithRetain(time.Minute), bytespool.WithName("test"))
					var wg sync.WaitGroup
					for g := range 4 {
						wg.Go(func() { churn(t, p, byte(g+1), clear) })
					}
					for i := range 4 {
						runtime.GC()
						engine.Of(p).Reconfigure(16<<i, 1<<(18-i)+1000*i)
					}
					wg.Wait()

					s := p.Stats()
					if s.IdleBytes > budget {
						t.Errorf("%d bytes are idle, more than the budget", s.IdleBytes)
					}
					for _, c := range s.Classes {
						d := c.Dropped
						if c.Hits+c.Misses != c.Gets || c.Puts != c.Hits+d.OverBudget+d.OverBound+d.Aged+d.Trimmed+uint64(c.IdleBytes)/uint64(c.Capacity) {
							t.Errorf("%+v", c)
						}
					}
					p.Trim()
					for _, f := range found() {
						if f.Code != finding.Leak { // of slices that were too large to come back
							t.Errorf("%s", f.Error())
						}
					}
				})
			}
		}
	}
}

// churn takes, fills and releases slices of many sizes, and checks that nobody else
// writes to them.
func churn(t *testing.T, p *bytespool.Pool, mark byte, clear bytespool.ClearPolicy) {
	const most = 300_000
	zeros, marks := make([]byte, most), bytes.Repeat([]byte{mark}, most)
	var held [][]byte
	for i := range testenv.Rounds(200) {
		size := i * 7919 % most >> (i % 12)
		b := p.New(size)
		if len(b) != size {
			t.Errorf("New(%d) has length %d", size, len(b))
		}
		if clear == bytespool.ClearOnGet && !bytes.Equal(b, zeros[:size]) {
			t.Errorf("%d bytes are not clear", size)
		}
		copy(b, marks)
		if held = append(held, b); len(held) < 8 {
			continue
		}
		for _, b := range held {
			if !bytes.Equal(b, marks[:len(b)]) {
				t.Error("a slice is in two hands")
			}
			p.Release(b)
		}
		held = held[:0]
		runtime.Gosched()
	}
}

// Pools has all pools that are alive, in the order of their making, and no others.
func TestPools(t *testing.T) {
	a, b := bytespool.NewPool(bytespool.WithSizes(2, 1024)), bytespool.NewBufPool(1000).Pools()
	all := slices.Collect(bytespool.Pools())
	if !slices.Contains(all, bytespool.Default()) || slices.Index(all, a) < 0 || slices.Index(all, a) > slices.Index(all, b) {
		t.Errorf("%d pools: a is number %d, b %d", len(all), slices.Index(all, a), slices.Index(all, b))
	}
	for range bytespool.Pools() {
		break
	}
	for range 100 {
		bytespool.NewPool(bytespool.WithSizes(2, 1024), bytespool.WithName("lost")).New(10)
	}
	lost := func() (n int) {
		for p := range bytespool.Pools() {
			if p.Stats().Name == "lost" {
				n++
			}
		}
		return n
	}
	testenv.Eventually(t, "pools that nobody refers to are gone", func() bool {
		runtime.GC()
		return lost() == 0
	})
	runtime.KeepAlive(a)
}
