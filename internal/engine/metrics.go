package engine

import (
	"math"
	"runtime/metrics"
)

// readMemory asks the runtime for what the pressure rule looks at. It leaves Idle 0.
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

// LimiterCycle returns the number of the collection for which the runtime limited
// the collector's share of the processors last, 0 if there was none.
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
