package rt

import (
	"runtime"
	"sync"
	"testing"
)

// Two goroutines that are pinned at once have different numbers: with a plain counter
// for each processor, no increment is lost.
func TestPinIsExclusive(t *testing.T) {
	if !Pinned {
		t.Log("this build does not pin")
		return
	}
	type counter struct {
		n int
		_ [56]byte
	}
	counters := make([]counter, runtime.GOMAXPROCS(0))
	const goroutines, rounds = 16, 20_000
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := range rounds {
				counters[Pin()].n++
				Unpin()
				if i%256 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for i := range counters {
		sum += counters[i].n
	}
	if sum != goroutines*rounds {
		t.Errorf("counted %d, want %d", sum, goroutines*rounds)
	}
}
