package engine

import (
	"math"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
)

// retain returns the bytes of unused memory that all pools together may hold beyond those of a
// sync.Pool: 16 MiB, so that bursts of as much find their memory, but not for programs that use
// more than 20 MiB, which would hold the old working set beside the new; and always a share of the
// live heap. Without the share, a program that uses memory again after two collections would find
// none while its heap is small, and its heap would stay small. A memory limit bounds it to the
// room beyond twice the live heap: with less, collections would have to come sooner than by
// default (GOGC=100). The total memory says nothing: with GOGC=off it is always at the limit.
func retain(s stats.Pressure) int64 {
	const least, much, share = 16 << 20, 20 << 20, 10
	n := s.Live / share
	if s.Used <= much {
		n = max(n, least)
	}
	return min(n, spare(s))
}

// spare returns what a memory limit leaves beyond twice the live heap.
func spare(s stats.Pressure) int64 {
	if s.Limit == math.MaxInt64 {
		return math.MaxInt64
	}
	return max(0, s.Limit-s.NotHeap-2*s.Live)
}

// lately is what was used before each of the last collections. A program that turns from one
// size to another uses more when it does than before and after; to hold more in between would
// cost memory at the turn.
type lately struct {
	mu   sync.Mutex
	used [4]int64
	next int
}

// add notes what was used before a collection, and returns the most of the last ones.
func (l *lately) add(used int64) (most int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used[l.next] = used
	l.next = (l.next + 1) % len(l.used)
	return slices.Max(l.used[:])
}

// readMemory asks the runtime for the other inputs of the rule, and applies it.
func readMemory(used int64) stats.Pressure {
	names := []string{
		"/gc/heap/live:bytes",
		"/gc/gomemlimit:bytes",
		"/memory/classes/total:bytes",
		"/memory/classes/heap/released:bytes",
		"/memory/classes/heap/free:bytes",
		"/memory/classes/heap/objects:bytes",
		"/gc/limiter/last-enabled:gc-cycle",
	}
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	bytes := func(i int) int64 { return int64(min(value(samples[i]), math.MaxInt64)) }
	s := stats.Pressure{
		At:             time.Now(),
		Used:           used,
		Live:           bytes(0),
		Limit:          bytes(1),
		NotHeap:        bytes(2) - bytes(3) - bytes(4) - bytes(5),
		GCLimitedCycle: value(samples[6]),
	}
	if s.Limit == 0 {
		s.Limit = math.MaxInt64
	}
	s.Retain = retain(s)
	return s
}

// lastPressure is what the last collection found that has looked.
var lastPressure atomic.Pointer[stats.Pressure]

// LastPressure returns what the last collection found.
func LastPressure() stats.Pressure {
	if p := lastPressure.Load(); p != nil {
		return *p
	}
	s := stats.Pressure{Limit: math.MaxInt64}
	s.Retain = retain(s)
	return s
}

// value returns the value of a sample, 0 if this Go release does not have it.
func value(s metrics.Sample) uint64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s.Value.Uint64()
}
