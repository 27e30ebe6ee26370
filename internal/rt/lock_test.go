package rt

import (
	"sync"
	"testing"
)

// Only one goroutine at a time has the lock: plain counters lose no increment.
func TestLock(t *testing.T) {
	const goroutines, rounds = 16, 20_000
	var l Lock
	var n, tried int
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				l.Lock()
				n++
				l.Unlock()
				if l.TryLock() {
					tried++
					n--
					l.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if n != goroutines*rounds-tried {
		t.Errorf("counted %d, want %d", n, goroutines*rounds-tried)
	}
	l.Lock()
	if l.TryLock() {
		t.Error("a lock that is held was locked")
	}
}
