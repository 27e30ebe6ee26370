package octetprom

import (
	"github.com/octet-go/octet/bytespool"
	"github.com/prometheus/client_golang/prometheus"
)

// A sum is what all pools of one name hold at a scrape.
type sum struct {
	pools       int
	inUse, idle int64
	limit       int64 // 0 if no pool has one
	reserved    int64
	waiting     int
	classes     map[int]classSum // by capacity; empty if classes are not asked for
}

func (s *sum) add(stats *bytespool.Stats, classes bool) {
	s.pools++
	s.inUse += stats.InUseBytes
	s.idle += stats.IdleBytes
	if stats.Limit.Shared == nil { // or others have it, too: see limits.go
		s.limit += stats.Limit.Limit
		s.reserved += stats.Limit.Reserved
		s.waiting += stats.Limit.Waiting
	}
	if !classes {
		return
	}
	for _, c := range stats.Classes {
		k := s.classes[c.Capacity]
		k.inUse += c.InUse
		k.idle += c.IdleBytes
		s.classes[c.Capacity] = k
	}
}

// poolMetrics are the metrics of pools.
type poolMetrics struct {
	gets, hits, misses, puts, rejected, dropped *prometheus.CounterVec
	inUse, idle, limit, reserved, waiting       *prometheus.GaugeVec
}

func newPoolMetrics() *poolMetrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "octet_pool_" + name, Help: help}, append([]string{"pool"}, labels...))
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "octet_pool_" + name, Help: help}, []string{"pool"})
	}
	return &poolMetrics{
		gets:     counter("gets_total", "Requests."),
		hits:     counter("hits_total", "Requests that were served from idle memory."),
		misses:   counter("misses_total", "Requests that had to allocate."),
		puts:     counter("puts_total", "Releases."),
		rejected: counter("rejected_total", "Requests that a limit rejected."),
		dropped:  counter("dropped_total", "Slices that were released and not kept.", "reason"),
		inUse:    gauge("in_use_bytes", "Capacity that was handed out and not released."),
		idle:     gauge("idle_bytes", "Capacity that is kept for later requests."),
		limit:    gauge("limit_bytes", "The limit on bytes in use."),
		reserved: gauge("reserved_bytes", "Bytes that were set aside below the limit and not taken yet."),
		waiting:  gauge("waiting", "Requests that wait for room below the limit."),
	}
}

// each calls f for each vector.
func (m *poolMetrics) each(f func(prometheus.Collector)) {
	for _, v := range []prometheus.Collector{m.gets, m.hits, m.misses, m.puts, m.rejected, m.dropped, m.inUse, m.idle, m.limit, m.reserved, m.waiting} {
		f(v)
	}
}

// A reading is a counter of a pool.
type reading struct {
	vec    *prometheus.CounterVec
	reason string // of drops, else ""
	now    uint64
}

const readings = 14

// read returns the counters of a pool.
func (m *poolMetrics) read(s *bytespool.Stats) [readings]reading {
	d := &s.Dropped
	return [readings]reading{
		{m.gets, "", s.Gets},
		{m.hits, "", s.Hits},
		{m.misses, "", s.Misses},
		{m.puts, "", s.Puts},
		{m.rejected, "", s.Limit.Rejected},
		{m.dropped, "too_small", s.TooSmall},
		{m.dropped, "too_large", s.TooLarge},
		{m.dropped, "over_budget", d.OverBudget},
		{m.dropped, "over_bound", d.OverBound},
		{m.dropped, "odd", d.Odd},
		{m.dropped, "aged", d.Aged},
		{m.dropped, "trimmed", d.Trimmed},
		{m.dropped, "abandoned", d.Abandoned},
		{m.dropped, "front_cut", d.FrontCut},
	}
}

// add adds to the counters of a name what a pool counted since before.
func (m *poolMetrics) add(name string, s *bytespool.Stats, before *[readings]uint64) {
	for i, r := range m.read(s) {
		by := advance(&before[i], r.now)
		if r.reason == "" {
			r.vec.WithLabelValues(name).Add(by)
		} else {
			r.vec.WithLabelValues(name, r.reason).Add(by)
		}
	}
}

// set sets the gauges of a name.
func (m *poolMetrics) set(name string, s *sum) {
	m.inUse.WithLabelValues(name).Set(float64(s.inUse))
	m.idle.WithLabelValues(name).Set(float64(s.idle))
	m.reserved.WithLabelValues(name).Set(float64(s.reserved))
	m.waiting.WithLabelValues(name).Set(float64(s.waiting))
	if s.limit > 0 {
		m.limit.WithLabelValues(name).Set(float64(s.limit))
	} else {
		m.limit.DeleteLabelValues(name)
	}
}

// remove removes the metrics of a name.
func (m *poolMetrics) remove(name string) { removeFrom(m.each, name) }

// removeFrom removes the metrics of pools of a name from vectors.
func removeFrom(each func(func(prometheus.Collector)), name string) {
	each(func(v prometheus.Collector) {
		v.(interface{ DeletePartialMatch(prometheus.Labels) int }).DeletePartialMatch(prometheus.Labels{"pool": name})
	})
}
