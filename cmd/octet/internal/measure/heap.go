package measure

import (
	"runtime/metrics"
	"sync"
	"time"
)

// heapObjects is what the heap's objects occupy: the live ones, and the dead
// ones that no sweep has freed yet. Reading it does not stop the world.
const heapObjects = "/memory/classes/heap/objects:bytes"

// watchEvery is short against any operation that is worth watching, and long
// against the microseconds that a look takes.
const watchEvery = 250 * time.Microsecond

// peak returns the most bytes of heap that it saw occupied while do ran, less
// those that were occupied before.
func peak(do func()) float64 {
	look := []metrics.Sample{{Name: heapObjects}}
	read := func() uint64 {
		metrics.Read(look)
		return look[0].Value.Uint64()
	}
	before := read()
	most := before

	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { // has look and most until it is waited for
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, read())
			case <-done:
				return
			}
		}
	})
	do()
	close(done)
	watcher.Wait()
	most = max(most, read())
	return float64(most - before)
}
