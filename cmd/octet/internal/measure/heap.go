package measure

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// allocated is the metric for all memory ever allocated on the heap. Reading it
// does not stop the world and is not exact.
const allocated = "/gc/heap/allocs:bytes"

// maxGarbage is a quarter of the 4 MiB that the smallest heap grows to before
// it is collected.
const maxGarbage = 1 << 20

var collectedAt uint64 // the value of allocated after the last call of runtime.GC

// collect collects the garbage if there is so much that a collection in the next slice
// would be due to earlier slices.
func collect() {
	if read(allocated)-collectedAt > maxGarbage {
		runtime.GC()
		collectedAt = read(allocated)
	}
}

// heapObjects is the metric for the size of the objects on the heap, live or
// not yet swept. Reading it does not stop the world.
const heapObjects = "/memory/classes/heap/objects:bytes"

// watchEvery is short compared with any operation that is observed, and long
// compared with the microsecond that reading a metric takes.
const watchEvery = 250 * time.Microsecond

// peak calls do, and returns the largest heap that it observed meanwhile, less
// the heap before.
func peak(do func()) float64 {
	before := read(heapObjects)
	most := before

	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { // owns most until it is waited for
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

// read returns the value of a metric of the runtime.
func read(name string) uint64 {
	look := []metrics.Sample{{Name: name}}
	metrics.Read(look)
	return look[0].Value.Uint64()
}
