package check

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/finding"
)

// A handler gets findings in place of panic and log.
type handler func(*finding.Report)

// handlers are those that were registered and not removed, the latest last. It
// counts; a copy of it is in the pointer, nil for none.
var handlers struct {
	sync.Mutex
	list   []*handler
	latest atomic.Pointer[handler]
}

// Handle registers a function that gets findings in place of what [Config.Action]
// says, until remove is called; if it is nil, that is what counts again. The latest
// that was registered and not removed counts.
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

// causes counts findings by what they have in common. It is bounded: further
// causes are not reported.
var causes struct {
	sync.Mutex
	m     map[uint64]int
	total uint64
}

const maxCauses = 4096

// report reports a finding in the manner of a state. The caller holds no lock:
// what is called may use the pools.
func report(f *finding.Report, now *state) {
	f.Count = count(f)
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

// log writes a finding to the program's log. A handler that the program installed
// gets attributes. That which log/slog begins with writes attributes as quoted
// strings, all in one line, and a message as it is: so it gets the report, which
// has many lines, as the message.
func log(f *finding.Report) {
	l := slog.Default()
	if isDefault(l.Handler()) {
		l.Error(f.Error())
	} else {
		l.LogAttrs(context.Background(), slog.LevelError, f.Summary(), f.LogValue().Group()...)
	}
}

// isDefault reports whether h is the handler that log/slog begins with. Its type
// has no public name, and no function returns it: slog.Default may return another
// one before this package is initialized. If a Go release gives it another name,
// it is taken for a program's.
func isDefault(h slog.Handler) bool { return reflect.TypeOf(h).String() == "*slog.defaultHandler" }

// count returns how often there was a finding of the same cause, with this one.
func count(f *finding.Report) int {
	key := hash(f.Acquired)
	key = key*31 ^ hash(f.Released)
	key = key*31 ^ hash(f.Now)
	for _, c := range []byte(f.What) {
		key = key*31 ^ uint64(c)
	}
	causes.Lock()
	defer causes.Unlock()
	causes.total++
	if causes.m == nil {
		causes.m = make(map[uint64]int)
	}
	if _, known := causes.m[key]; !known && len(causes.m) >= maxCauses {
		return maxCauses
	}
	causes.m[key]++
	return causes.m[key]
}

// forgetCauses makes the next finding of each cause count as the first.
func forgetCauses() {
	causes.Lock()
	clear(causes.m)
	causes.Unlock()
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
