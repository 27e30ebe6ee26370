package check

import (
	"cmp"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/checked/finding"
)

// A handler gets findings in place of panic and log.
type handler func(*finding.Report)

// handlers are those that were registered and not removed, the latest last, and that
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

// logger is what Connect has set, in place of standard error; nil for none.
var logger atomic.Pointer[handler]

// A cause is a broken rule, and the places where the memory was acquired, where it was
// released, and where that was found. A place is a function of octet and the line that
// calls it: so a line that leaks is one cause, whoever calls it.
type cause struct {
	Recent
	count  int    // how often it was found in this mode
	number uint64 // of the latest finding
}

// causes are those that were seen last, by their keys.
var causes struct {
	sync.Mutex
	m     map[string]*cause
	total uint64 // findings of all causes
}

const (
	maxCauses = 1 << 10
	maxRecent = 32
)

// report reports a finding as the given state says. The caller holds no lock, because
// what this calls may use the pools.
func report(f *finding.Report, now *state) {
	now.say()
	f.Count = note(f)
	switch h := handlers.latest.Load(); {
	case h != nil && *h != nil:
		if isReported(f.Count) {
			(*h)(f)
		}
	case f.Code != finding.Leak && now.Action == ActionPanic:
		panic(f)
	case !isReported(f.Count):
	case logger.Load() != nil:
		(*logger.Load())(f)
	default:
		os.Stderr.WriteString(f.Error() + "\n")
	}
}

// warned are the lines that say has written.
var warned struct {
	sync.Mutex
	lines []string
}

// say writes the line of the state to stderr, once.
func (s *state) say() {
	if s.line == "" {
		return
	}
	warned.Lock()
	defer warned.Unlock()
	if !slices.Contains(warned.lines, s.line) {
		warned.lines = append(warned.lines, s.line)
		os.Stderr.WriteString("octet: " + s.line + "\n")
	}
}

// causeOf returns the key of the cause of f.
func causeOf(f *finding.Report) string {
	text := []byte(f.What)
	for _, pcs := range [][]uintptr{f.Acquired, f.Released, f.Now} {
		frames := runtime.CallersFrames(pcs[:min(2, len(pcs))])
		for more := len(pcs) > 0; more; {
			var at runtime.Frame
			if at, more = frames.Next(); more {
				text = append(append(text, ' '), at.Function...)
			} else {
				text = append(text, " "+at.Function+" "+at.File+":"+strconv.Itoa(at.Line)...)
			}
		}
		text = append(text, '\n')
	}
	return string(text)
}

// note lists a finding of a cause, and returns how many there were in this mode.
func note(f *finding.Report) int {
	key, now := causeOf(f), time.Now().Round(0)
	causes.Lock()
	defer causes.Unlock()
	causes.total++
	c := causes.m[key]
	if c == nil {
		if causes.m == nil {
			causes.m = make(map[string]*cause)
		}
		if len(causes.m) == maxCauses {
			oldest, number := "", causes.total
			for key, c := range causes.m {
				if c.number < number {
					oldest, number = key, c.number
				}
			}
			delete(causes.m, oldest)
		}
		c = &cause{Recent: Recent{First: now, ID: causes.total}}
		causes.m[key] = c
	}
	c.Latest, c.Last, c.number = f, now, causes.total
	c.Times++
	c.count++
	return c.count
}

// A Recent is a cause of findings that was seen lately.
type Recent struct {
	Latest      *finding.Report // of this cause
	Times       int             // how often it was found since it is listed
	First, Last time.Time       // when
	ID          uint64          // of the cause, until it is forgotten
}

// RecentFindings returns what was found lately, whatever became of it: one entry for
// each cause, the latest first, and no more than 32.
func RecentFindings() (list []Recent) {
	causes.Lock()
	defer causes.Unlock()
	all := slices.SortedFunc(maps.Values(causes.m), func(a, b *cause) int { return cmp.Compare(b.number, a.number) })
	for _, c := range all[:min(len(all), maxRecent)] {
		list = append(list, c.Recent)
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
