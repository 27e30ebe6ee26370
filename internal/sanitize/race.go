//go:build race

// Package sanitize tells the race detector which pooled memory is nobody's.
//
// To the race detector a release is a write to the whole buffer by a goroutine
// that nobody ever waited for. What the releasing goroutine did before is ordered
// before that write, by the go statement. What any goroutine does to the buffer
// later is not, unless it came by the buffer through Reused: then the detector
// reports two accesses without order between them, one of which is
// releasedMemory. The stack that created its goroutine is the stack of the
// release.
//
// How long the detector remembers a release is up to the detector. It cannot
// report an access whose goroutine's trace it has recycled; it keeps the traces of
// the last 64 goroutines that ended, less when other goroutines need the space,
// and it tells at most 255 goroutines apart at a time. So a use after release is
// reported if it comes before some forty further releases, which is what one
// request or one test does.
//
// The detector never forgets a goroutine: each costs 300 to 600 bytes for good. So
// the first quarter of a million releases are watched (watchAll), which may take
// 160 MB, and one in 64 after that.
package sanitize

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Enabled tells whether the program was built with -race or -asan.
const Enabled = true

// Released says that the memory of b, up to its capacity, is nobody's until the
// next call of Reused. It must not be called between [runtime.RaceDisable] and
// [runtime.RaceEnable], which would hide who owned b until now.
func Released(b []byte) {
	if cap(b) == 0 {
		return
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	if !watch() {
		runtime.RaceRelease(p) // what the caller did is before Reused all the same
		return
	}
	written := make(chan struct{})
	go releasedMemory(p, cap(b), written)

	// The detector must see the go statement but not the wait: a receive would
	// order the write before all that the caller does next.
	runtime.RaceDisable()
	<-written
	runtime.RaceEnable()
}

const (
	watchAll   = 1 << 18 // releases of the program that are all watched
	watchOneIn = 64      // after that
)

// releases counts the calls of watch.
var releases atomic.Uint64

// watch tells whether to watch a release. The counter must not order the
// goroutines that release.
func watch() bool {
	runtime.RaceDisable()
	n := releases.Add(1)
	runtime.RaceEnable()
	return n <= watchAll || n%watchOneIn == 0
}

// releasedMemory says in a race report what the other access was.
func releasedMemory(p unsafe.Pointer, n int, written chan<- struct{}) {
	write(p, n)
	runtime.RaceRelease(p)
	close(written)
}

// write stands between because the detector takes its caller for the innermost
// function: reports would not show the function that calls RaceWriteRange.
//
//go:noinline
func write(p unsafe.Pointer, n int) { runtime.RaceWriteRange(p, n) }

// Reused says that the memory of b, up to its capacity, is about to be handed
// out. Its first byte is the token that releasedMemory released: the detector
// keeps what it knows of a token with the memory, and drops it when the collector
// takes the memory.
func Reused(b []byte) {
	if cap(b) == 0 {
		return
	}
	runtime.RaceAcquire(unsafe.Pointer(unsafe.SliceData(b)))
}

// init has the detector keep as many finished traces as it ever will, before the
// program starts. A goroutine that has used up its own space for traces takes the
// oldest finished one; while there are few of those, that is soon the one of a
// release. Measured with 4 KiB touched byte by byte between releases: six releases
// were remembered without this, over forty with it.
func init() {
	const finishedTraces = 64 // kFinishedThreadHi in ThreadSanitizer's tsan_trace.h
	var ended sync.WaitGroup
	for range finishedTraces {
		ended.Go(func() {})
	}
	ended.Wait()
}
