package pooltest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

// A trial is a test that may fail without failing this one.
type trial struct {
	testing.TB
	name     string
	failures []string
	cleanups []func()
}

func (t *trial) Name() string     { return t.name }
func (t *trial) Helper()          {}
func (t *trial) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }
func (t *trial) Errorf(f string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(f, args...))
}

// try runs a test in a goroutine of its own and returns how it failed.
func try(name string, test func(t testing.TB)) []string {
	t := &trial{name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(t)
		for len(t.cleanups) > 0 {
			last := len(t.cleanups) - 1
			f := t.cleanups[last]
			t.cleanups = t.cleanups[:last]
			f()
		}
	}()
	<-done
	return t.failures
}

//go:noinline
func forgets(p *bytespool.Pool, n int) []byte { return p.New(n) }

var (
	kept    [][]byte
	buffers []*buffer.Buffer
)

// Nothing here releases late but in TestNoLeaksWaits.
func init() { patience = 10 * time.Millisecond }

func TestNoLeaks(of *testing.T) {
	own := bytespool.NewPool(bytespool.WithSizes(16, 4096), bytespool.WithName("own"))
	other := bytespool.NewPool(bytespool.WithSizes(16, 4096), bytespool.WithName("other"))
	for _, c := range []struct {
		name string
		test func(t testing.TB)
		want string // in the failure; "" for none
	}{
		{"releases", func(t testing.TB) {
			NoLeaks(t)
			bytespool.Release(bytespool.New(100))
		}, ""},
		{"keeps", func(t testing.TB) {
			NoLeaks(t)
			kept = append(kept, forgets(own, 100))
		}, "pooltest.forgets"},
		{"loses", func(t testing.TB) {
			NoLeaks(t)
			forgets(own, 100)
			for range 3 {
				runtime.GC()
				time.Sleep(10 * time.Millisecond)
			}
		}, `1 not released`},
		{"in a goroutine", func(t testing.TB) {
			NoLeaks(t)
			var wg sync.WaitGroup
			wg.Go(func() { kept = append(kept, forgets(own, 100)) })
			wg.Wait()
		}, `pool "own"`},
		{"releases in Cleanup", func(t testing.TB) {
			NoLeaks(t)
			b := forgets(own, 100)
			t.Cleanup(func() { own.Release(b) })
		}, ""},
		{"after other labels", func(t testing.TB) {
			NoLeaks(t)
			pprof.Do(context.Background(), pprof.Labels("a", "b"), func(context.Context) { own.Release(own.New(100)) })
			kept = append(kept, forgets(own, 100))
		}, "1 not released"},
		{"with other labels", func(t testing.TB) {
			NoLeaks(t)
			pprof.Do(context.Background(), pprof.Labels("a", "b"), func(context.Context) { kept = append(kept, forgets(own, 100)) })
		}, "1 not released"},
		{"a goroutine that ran before", func(t testing.TB) {
			var wg sync.WaitGroup
			start := make(chan bool)
			wg.Go(func() { <-start; kept = append(kept, forgets(own, 100)) })
			NoLeaks(t)
			close(start)
			wg.Wait()
		}, map[bool]string{false: "1 not released"}[rt.Labels]},
		{"in a bubble", func(t testing.TB) {
			NoLeaks(t, own)
			synctest.Test(of, func(*testing.T) { kept = append(kept, forgets(own, 100)) })
		}, "1 not released"},
		{"own pool", func(t testing.TB) {
			NoLeaks(t, own)
			kept = append(kept, forgets(own, 100))
		}, `pool "own"`},
		{"other pool", func(t testing.TB) {
			NoLeaks(t, own)
			kept = append(kept, forgets(other, 100))
		}, ""},
		{"keeps a Buffer", func(t testing.TB) { // whose array is not listed beside it
			NoLeaks(t)
			b := buffer.Make(100)
			b.WriteString("content")
			buffers = append(buffers, b)
		}, `1 not released`},
		{"many", func(t testing.TB) {
			NoLeaks(t)
			for range 25 {
				kept = append(kept, forgets(own, 100))
			}
		}, "pooltest: 25 not released\n\noctet: OCT004: never released\nslice of 128 bytes from pool \"own\""},
	} {
		of.Run(c.name, func(t *testing.T) {
			failures := try(c.name, c.test)
			switch {
			case c.want == "" && len(failures) > 0:
				t.Errorf("failed: %s", failures)
			case c.want != "" && (len(failures) != 1 || !strings.Contains(failures[0], c.want)):
				t.Errorf("failures %q, want one with %q", failures, c.want)
			}
			if check.Current() != check.Off {
				t.Errorf("mode %v after the test", check.Current())
			}
		})
	}
}

// TestNoLeaksWaits sees that a goroutine may release a little later, by the clock of a
// bubble, and not much later.
func TestNoLeaksWaits(t *testing.T) {
	p := bytespool.NewPool(bytespool.WithSizes(16, 4096))
	for late, want := range map[time.Duration]int{patience / 2: 0, 2 * patience: 1} {
		synctest.Test(t, func(t *testing.T) {
			failures := try("late", func(t testing.TB) {
				NoLeaks(t, p)
				b := forgets(p, 100)
				go func() {
					time.Sleep(late)
					p.Release(b)
				}()
			})
			time.Sleep(late) // the bubble ends with its last goroutine
			if len(failures) != want {
				t.Errorf("a release after %v: failures %q, want %d", late, failures, want)
			}
		})
	}
}

// TestNoLeaksInParallel sees that of many tests that run at the same time, exactly
// those that leak fail.
func TestNoLeaksInParallel(t *testing.T) {
	pools := make([]*bytespool.Pool, 16)
	for i := range pools {
		pools[i] = bytespool.NewPool(bytespool.WithSizes(16, 4096))
	}
	var wg, started sync.WaitGroup
	started.Add(len(pools))
	for i, p := range pools {
		wg.Go(func() {
			leaks := i%3 == 0
			failures := try(fmt.Sprint("test ", i), func(t testing.TB) {
				if rt.Labels && i%2 == 0 {
					NoLeaks(t)
				} else {
					NoLeaks(t, p)
				}
				started.Done()
				started.Wait()
				for range 100 {
					p.Release(p.New(100))
				}
				if leaks {
					var inner sync.WaitGroup
					inner.Go(func() { p.New(1000) })
					inner.Wait()
				}
				runtime.GC()
			})
			if (len(failures) > 0) != leaks {
				t.Errorf("test %d: failures %q", i, failures)
			}
		})
	}
	wg.Wait()
}

func TestMainExitCode(t *testing.T) {
	stderr := os.Stderr
	defer func() { os.Stderr = stderr }()
	os.Stderr, _ = os.Open(os.DevNull)
	defer os.Stderr.Close()

	if code := run(func() int { bytespool.Release(bytespool.New(10)); return 0 }); code != 0 {
		t.Errorf("code %d without a leak", code)
	}
	if code := run(func() int { kept = append(kept, bytespool.New(10)); return 0 }); code != 1 {
		t.Errorf("code %d with a leak", code)
	}
	labelled := func() int {
		pprof.Do(context.Background(), pprof.Labels("a", "b"), func(context.Context) {
			kept = append(kept, bytespool.New(10))
		})
		return 0
	}
	if code := run(labelled); code != 1 {
		t.Errorf("code %d with a leak of a goroutine that has labels", code)
	}
	if code := run(func() int { return 3 }); code != 3 {
		t.Errorf("code %d, want that of the tests", code)
	}
}

// TestList sees that places are listed, up to a bound, and everything is counted.
func TestList(t *testing.T) {
	var left []*checked.Report
	for range maxListed + 5 {
		left = append(left, &checked.Report{Code: finding.Leak, Count: 3})
	}
	text := list(left)
	if !strings.HasPrefix(text, "pooltest: 45 not released\n") || !strings.HasSuffix(text, "\n\nand from 5 more places") ||
		strings.Count(text, "OCT004") != maxListed || strings.Count(text, "found 3 times") != maxListed {
		t.Errorf("the list is\n%s", text)
	}
}

// A slice that the program has replaced behind a pointer is left to the collector, as
// PointerPool says, and is no leak.
func TestReplacedPointerIsNoLeak(t *testing.T) {
	NoLeaks(t)
	p := bytespool.NewPointerPool(bytespool.NewPool(bytespool.WithSizes(64, 1<<20)))
	b := p.Get(100)
	*b = append(*b, make([]byte, 1000)...)
	p.Put(b)
}
