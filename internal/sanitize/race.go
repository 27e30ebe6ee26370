//go:build race

// Package sanitize tells the race detector which pooled memory nobody owns.
//
// The race detector sees a release as a write to the whole buffer by a goroutine that
// nothing ever waits for. The go statement orders what the releasing goroutine did
// before that write. Nothing orders what any goroutine does to the buffer later,
// unless it got the buffer through Reused: so the detector reports two unordered
// accesses, one of which is releasedMemory. The stack that created the goroutine of
// releasedMemory is the stack of the release.
//
// The detector's memory is limited. It cannot report an access whose goroutine's
// trace it has recycled: it keeps the traces of the last 64 goroutines that ended,
// fewer when other goroutines need the space, and distinguishes at most 255
// goroutines at a time. So a use after release is reported if it comes before about
// forty further releases, which is as many as one request or one test makes.
//
// The detector never forgets a goroutine; each costs 300 to 600 bytes for good. So the
// first quarter of a million releases are watched (watchAll), which may take 160 MB,
// and after that one in 64.
package sanitize

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Enabled says whether the program was built with -race or -asan.
const Enabled = true

// Released says that nobody owns the memory of b, up to its capacity, until the next
// call of Reused. It must not be called between [runtime.RaceDisable] and
// [runtime.RaceEnable], which would hide the owner so far.
func Released(b []byte) {
	if cap(b) == 0 {
		return
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	if !watch() {
		runtime.RaceRelease(p) // orders what the caller did before Reused
		return
	}
	written := make(chan struct{})
	go releasedMemory(p, cap(b), written)

	// The detector must see the go statement but not the wait: a receive would order
	// the write before everything that the caller does next.
	runtime.RaceDisable()
	<-written
	runtime.RaceEnable()
}

const (
	watchAll   = 1 << 18 // the first releases of the program, which are all watched
	watchOneIn = 64      // the rate after these
)

// releases counts the calls of watch.
var releases atomic.Uint64

// watch reports whether to watch a release. Its counter must not order the goroutines
// that release.
func watch() bool {
	runtime.RaceDisable()
	n := releases.Add(1)
	runtime.RaceEnable()
	return n <= watchAll || n%watchOneIn == 0
}

// releasedMemory is the other access in a race report.
func releasedMemory(p unsafe.Pointer, n int, written chan<- struct{}) {
	write(p, n)
	runtime.RaceRelease(p)
	close(written)
}

// write is a function of its own because the detector takes the caller of the function
// that calls RaceWriteRange for the innermost: reports would not show releasedMemory.
//
//go:noinline
func write(p unsafe.Pointer, n int) { runtime.RaceWriteRange(p, n) }

// Reused says that the memory of b, up to its capacity, is about to be handed out. Its
// first byte is the token that releasedMemory released: the detector keeps its
// knowledge of a token with the memory, and drops it when the collector frees that.
func Reused(b []byte) {
	if cap(b) == 0 {
		return
	}
	runtime.RaceAcquire(unsafe.Pointer(unsafe.SliceData(b)))
}

// init makes the detector keep as many finished traces as it ever will before the
// program starts. A goroutine that has used up its space for traces takes the oldest
// finished one; while there are few, that is soon the trace of a release. With 4 KiB
// touched byte by byte between releases, six releases were remembered without this,
// and over forty with it.
func init() {
	const finishedTraces = 64 // kFinishedThreadHi in ThreadSanitizer's tsan_trace.h
	var ended sync.WaitGroup
	for range finishedTraces {
		ended.Go(func() {})
	}
	ended.Wait()
}
