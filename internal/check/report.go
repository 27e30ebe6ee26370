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

// causes counts findings by cause: their stacks and the broken rule. It is bounded;
// beyond, other causes are not reported.
var causes struct {
	sync.Mutex
	m     map[uint64]int
	total uint64
}

const maxCauses = 4096

// report reports a finding as the given state says. The caller holds no lock, because
// what this calls may use the pools.
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
// gets attributes. The handler that log/slog begins with would write these as quoted
// strings in a single line; but it writes a message as it is, and so it gets the
// report, which has many lines, as the message.
func log(f *finding.Report) {
	l := slog.Default()
	if isDefault(l.Handler()) {
		l.Error(f.Error())
	} else {
		l.LogAttrs(context.Background(), slog.LevelError, f.Summary(), f.LogValue().Group()...)
	}
}

// isDefault reports whether h is the handler that log/slog begins with. Its type is
// not exported, and slog.Default may return another one already when this package is
// initialized. If a Go release renames the type, its handler gets attributes as
// others do.
func isDefault(h slog.Handler) bool { return reflect.TypeOf(h).String() == "*slog.defaultHandler" }

// count returns how many findings had the cause of f, including f.
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
