package measure

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// allocated is all that was ever allocated on the heap. Reading it does not stop
// the world, and it is not exact.
const allocated = "/gc/heap/allocs:bytes"

// maxGarbage is a quarter of the 4 MiB that the smallest heap grows to before
// the runtime collects it.
const maxGarbage = 1 << 20

var collectedAt uint64 // what was allocated when collect last collected

// collect collects the garbage, if there is so much of it that a collection in
// the next slice would be due to those who went before, or if asked to always.
func collect(always bool) {
	if always || read(allocated)-collectedAt > maxGarbage {
		runtime.GC()
		collectedAt = read(allocated)
	}
}

// heapObjects is what the heap's objects occupy: the live ones, and the dead
// ones that no sweep has freed yet. Reading it does not stop the world.
const heapObjects = "/memory/classes/heap/objects:bytes"

// watchEvery is short against any operation that is worth watching, and long
// against the microseconds that a look takes.
const watchEvery = 250 * time.Microsecond

// peak returns the most bytes of heap that it saw occupied while do ran, less
// those that were occupied before.
func peak(do func()) float64 {
	before := read(heapObjects)
	most := before

	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { // has look and most until it is waited for
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, read(heapObjects))
			case <-done:
				return
			}
		}
	})
	do()
	close(done)
	watcher.Wait()
	most = max(most, read(heapObjects))
	return float64(most - before)
}

// read returns a figure of the runtime.
func read(name string) uint64 {
	look := []metrics.Sample{{Name: name}}
	metrics.Read(look)
	return look[0].Value.Uint64()
}
