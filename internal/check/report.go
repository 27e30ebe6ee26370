package check

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/checked/finding"
)

// A handler gets findings in place of panic and log.
type handler func(*finding.Report)

// handlers has those that were registered and not removed, the latest last, and that
// one again where it is read without the lock: nil if there is none.
var handlers struct {
	sync.Mutex
	list   []*handler
	latest atomic.Pointer[handler]
}

// Handle registers f, which gets findings in place of panic and log until remove is
// called. If several are registered, the most recent gets them; if that is nil, they
// panic and are logged.
func Handle(f func(*finding.Report)) (remove func()) {
	h := (*handler)(&f)
	hs := &handlers
	hs.Lock()
	defer hs.Unlock()
	hs.list = append(hs.list, h)
	hs.latest.Store(h)
	return func() {
		hs.Lock()
		defer hs.Unlock()
		hs.list = slices.DeleteFunc(hs.list, func(x *handler) bool { return x == h })
		var latest *handler
		if n := len(hs.list); n > 0 {
			latest = hs.list[n-1]
		}
		hs.latest.Store(latest)
	}
}

// A Recent is a cause of findings that was seen lately. A cause is a broken rule, and
// the places where the memory was acquired, where it was released, and where that was
// found. A place is a function of octet and the line that calls it: so a line that leaks
// is one cause, whoever calls it.
type Recent struct {
	Latest      *finding.Report // of this cause
	Times       int             // how often it was found since it is listed
	First, Last time.Time       // when
	ID          uint64          // of the cause

	latest uint64 // the number of the latest finding
	count  int    // how many were found in this mode
}

// causes has the causes that were seen last.
var causes struct {
	sync.Mutex
	m     map[uint64]*Recent
	total uint64 // findings of all causes
}

const (
	maxCauses = 1 << 10
	maxRecent = 32
)

// report reports a finding as the given state says. The caller holds no lock, because
// what this calls may use the pools.
func report(f *finding.Report, now *state) {
	f.Count = note(f)
	switch h := handlers.latest.Load(); {
	case h != nil && *h != nil:
		if isReported(f.Count) {
			(*h)(f)
		}
	case f.Code != finding.Leak && now.Action == ActionPanic:
		panic(f)
	case isReported(f.Count):
		log(f)
	}
}

// logger logs findings, if it is not nil.
var logger atomic.Pointer[handler]

// LogTo makes f log findings. Without it they are written to standard error.
func LogTo(f func(*finding.Report)) { logger.Store((*handler)(&f)) }

func log(f *finding.Report) {
	if l := logger.Load(); l != nil {
		(*l)(f)
		return
	}
	fmt.Fprintf(os.Stderr, "%s ERROR %s\n", time.Now().Format("2006/01/02 15:04:05"), f.Error())
}

// cause returns a number for the cause of f.
func cause(f *finding.Report) uint64 {
	key := hashText(0, f.What)
	for _, pcs := range [][]uintptr{f.Acquired, f.Released, f.Now} {
		frames := runtime.CallersFrames(pcs[:min(2, len(pcs))])
		for more := len(pcs) > 0; more; {
			var at runtime.Frame
			at, more = frames.Next()
			key = hashText(key, at.Function)
			if !more {
				key = hashText(key+uint64(at.Line), at.File)
			}
		}
		key++ // a stack that is not known differs from one that is
	}
	return key
}

// note lists a finding of a cause, and returns how many there were in this mode.
func note(f *finding.Report) int {
	cause, now := cause(f), time.Now()
	causes.Lock()
	defer causes.Unlock()
	causes.total++
	x := causes.m[cause]
	if x == nil {
		if causes.m == nil {
			causes.m = make(map[uint64]*Recent)
		}
		if len(causes.m) == maxCauses {
			delete(causes.m, latestLocked()[maxCauses-1].ID)
		}
		x = &Recent{First: now, ID: cause}
		causes.m[cause] = x
	}
	x.Latest, x.Last, x.latest = f, now, causes.total
	x.Times++
	x.count++
	return x.count
}

// latestLocked returns the causes, the latest first. The caller holds causes.
func latestLocked() []*Recent {
	return slices.SortedFunc(maps.Values(causes.m), func(a, b *Recent) int { return cmp.Compare(b.latest, a.latest) })
}

// RecentFindings returns what was found lately, whatever became of it: one entry for
// each cause, the latest first, and no more than 32.
func RecentFindings() (list []Recent) {
	causes.Lock()
	defer causes.Unlock()
	for _, x := range latestLocked() {
		if list = append(list, *x); len(list) == maxRecent {
			break
		}
	}
	return list
}

// forgetCauses makes the next finding of each cause count as the first.
func forgetCauses() {
	causes.Lock()
	defer causes.Unlock()
	for _, x := range causes.m {
		x.count = 0
	}
}

// isReported reports whether the n-th finding of one cause is reported: the first,
// the tenth, the hundredth and so on.
func isReported(n int) bool {
	for n >= 10 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}

// Findings returns how many findings there were.
func Findings() uint64 {
	causes.Lock()
	defer causes.Unlock()
	return causes.total
}
