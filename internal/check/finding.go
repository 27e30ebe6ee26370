package check

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/finding"
)

// handler is called with each finding in place of panic and log.
var handler atomic.Pointer[func(*finding.Report)]

// Handle has f called with findings, in place of what [Config.Action] says; nil
// for nobody. It returns the function before.
func Handle(f func(*finding.Report)) (before func(*finding.Report)) {
	var p *func(*finding.Report)
	if f != nil {
		p = &f
	}
	if old := handler.Swap(p); old != nil {
		return *old
	}
	return nil
}

// PanicValue makes the value of a panic. Package checked sets it, so that
// programs which import that package can recover a type that they know.
var PanicValue = func(f *finding.Report) any { return f }

// causes counts findings by what they have in common. It is bounded: beyond,
// new causes are not told any more.
var causes struct {
	sync.Mutex
	m     map[uint64]int
	total uint64
}

const maxCauses = 4096

// complain reports a finding in the manner of a state. The caller holds no lock:
// what is called may use the pools.
func complain(f *finding.Report, now *state) {
	f.Count = count(f)
	switch h := handler.Load(); {
	case h != nil:
		if isReported(f.Count) {
			(*h)(f)
		}
	case f.Code != finding.Leak && now.Action == ActionPanic:
		panic(PanicValue(f))
	case isReported(f.Count):
		slog.LogAttrs(context.Background(), slog.LevelError, f.Summary(),
			slog.Int("count", f.Count), slog.String("report", f.Error()))
	}
}

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

// isReported reports whether the n-th finding of one cause is to be reported: the
// first, the tenth, the hundredth and so on.
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
