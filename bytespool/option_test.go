package bytespool_test

import (
	"bytes"
	"fmt"
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

// A negative retention is none.
func TestRetain(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{-time.Hour: 0, 0: 0, time.Minute: time.Minute} {
		if got := bytespool.NewPool(bytespool.WithRetain(d)).Stats().Retain; got != want {
			t.Errorf("WithRetain(%v): the retention is %v", d, got)
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
