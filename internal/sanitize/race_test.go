//go:build race

package sanitize

import (
	"runtime"
	"sync"
	"testing"
)

func TestWatch(t *testing.T) {
	defer releases.Store(releases.Load())
	count := func(from uint64) (watched int) {
		releases.Store(from)
		for range 10 * watchOneIn {
			if watch() {
				watched++
			}
		}
		return watched
	}
	if n := count(0); n != 10*watchOneIn {
		t.Errorf("of the first %d releases %d are watched", 10*watchOneIn, n)
	}
	if n := count(watchAll); n != 10 {
		t.Errorf("later %d of %d are watched, want 10", n, 10*watchOneIn)
	}
}

// TestUnwatchedReleaseIsOrdered sees that a release that is not watched is ordered
// before the reuse, too. Nothing else orders the goroutines here.
func TestUnwatchedReleaseIsOrdered(t *testing.T) {
	defer releases.Store(releases.Load())
	for from := range uint64(2 * watchOneIn) { // the memory was watched before, or will be
		b := make([]byte, 100)
		for i := range uint64(3) {
			releases.Store(watchAll + from + i)
			inAnotherGoroutine(func() {
				Reused(b)
				clear(b)
				b[0], b[99] = 1, 2
				Released(b)
			})
		}
	}
}

// inAnotherGoroutine runs f and waits for it, which the detector does not see.
func inAnotherGoroutine(f func()) {
	var done sync.WaitGroup
	done.Go(f)
	runtime.RaceDisable()
	done.Wait()
	runtime.RaceEnable()
}
