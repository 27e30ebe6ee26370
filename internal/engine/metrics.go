package engine

import (
	"math"
	"runtime/metrics"
)

// Memory is what retention depends on, in bytes.
type Memory struct {
	Live    int64 // the live heap, as the last collection marked it
	NotHeap int64 // what the program has from the system beside its heap
	Limit   int64 // GOMEMLIMIT; math.MaxInt64 if there is none
}

// Retain returns how much all pools together may hold although nobody uses it, beyond what
// a sync.Pool would hold. With a memory limit it is at most what the limit leaves beyond
// twice the live heap: with less, collections would have to come sooner than by default
// (GOGC=100). The total memory says nothing: with GOGC=off it is always at the limit.
func (m Memory) Retain() int64 {
	const least, share = 16 << 20, 8
	n := max(least, m.Live/share)
	if m.Limit != math.MaxInt64 {
		n = min(n, max(0, m.Limit-m.NotHeap-2*m.Live))
	}
	return n
}

// readMemory asks the runtime for the inputs of the pressure rule.
func readMemory() Memory {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
	}
	metrics.Read(samples)
	bytes := func(i int) int64 { return int64(min(value(samples[i]), math.MaxInt64)) }
	m := Memory{Live: bytes(0), Limit: bytes(1), NotHeap: bytes(2) - bytes(3) - bytes(4) - bytes(5)}
	if m.Limit == 0 {
		m.Limit = math.MaxInt64
	}
	return m
}

// LimiterCycle returns the number of the last collection for which the runtime limited
// the collector's share of the processors, or 0 if there was none.
func LimiterCycle() uint64 {
	samples := []metrics.Sample{{Name: "/gc/limiter/last-enabled:gc-cycle"}}
	metrics.Read(samples)
	return value(samples[0])
}

// value returns the value of a sample, 0 if this Go release does not have it.
func value(s metrics.Sample) uint64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s.Value.Uint64()
}
