//go:build !octet_purego

package rt

import (
	"runtime"
	"sync"
	"testing"
)

// Goroutines that are alive together spread over stripes.
func TestStripeSpreads(t *testing.T) {
	const goroutines = 256
	seen := make(map[uint]int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	block := make(chan struct{})
	for range goroutines {
		wg.Go(func() {
			s := Stripe() >> 26 // 64 stripes
			mu.Lock()
			seen[s]++
			if mu.Unlock(); s > 63 {
				t.Errorf("stripe %d of 64", s)
			}
			<-block
		})
	}
	for {
		mu.Lock()
		n := 0
		for _, k := range seen {
			n += k
		}
		mu.Unlock()
		if n == goroutines {
			break
		}
		runtime.Gosched()
	}
	close(block)
	wg.Wait()
	if len(seen) < 32 {
		t.Errorf("%d goroutines share %d of 64 stripes", goroutines, len(seen))
	}
}
