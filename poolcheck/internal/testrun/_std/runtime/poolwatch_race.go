//go:build race

package runtime

import "unsafe"

// poolwatchIdle is a goroutine of the race detector alone, which writes what is put. What the goroutine that puts did
// before comes before that, and nothing comes after it: whatever uses the memory later, in any goroutine, is a race.
var poolwatchIdle uintptr

// poolwatch_raceWrite must not be called by two goroutines at a time.
//
//go:linkname poolwatch_raceWrite internal/poolwatch.raceWrite
func poolwatch_raceWrite(p unsafe.Pointer, n uintptr, calls []uintptr) {
	if poolwatchIdle == 0 {
		poolwatchIdle = racegostart(calls[0])
	}
	racereleasemerge(unsafe.Pointer(&poolwatchIdle))
	gp := getg()
	own := gp.racectx
	gp.racectx = poolwatchIdle
	raceacquire(unsafe.Pointer(&poolwatchIdle))
	for i := len(calls) - 1; i > 0; i-- {
		racefuncenter(calls[i])
	}
	racewriterangepc1(uintptr(p), n, calls[0])
	for range calls[1:] {
		racefuncexit()
	}
	gp.racectx = own
}
