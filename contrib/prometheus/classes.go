package octetprom

import (
	"strconv"

	"github.com/octet-go/octet/bytespool"
	"github.com/prometheus/client_golang/prometheus"
)

// A classSum is what a class of all pools of one name holds at a scrape.
type classSum struct{ inUse, idle int64 }

// classCounts are the counters of a class at the last scrape.
type classCounts struct{ gets, hits, misses, puts uint64 }

// classMetrics are the metrics of classes.
type classMetrics struct {
	gets, hits, misses, puts *prometheus.CounterVec
	inUse, idle              *prometheus.GaugeVec
}

func newClassMetrics() *classMetrics {
	labels := []string{"pool", "capacity"}
	counter := func(name, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "octet_pool_class_" + name, Help: help}, labels)
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "octet_pool_class_" + name, Help: help}, labels)
	}
	return &classMetrics{
		gets:   counter("gets_total", "Requests that the class served."),
		hits:   counter("hits_total", "Requests that were served from idle memory."),
		misses: counter("misses_total", "Requests that had to allocate."),
		puts:   counter("puts_total", "Releases."),
		inUse:  gauge("in_use", "Slices that were handed out and not released."),
		idle:   gauge("idle_bytes", "Capacity that is kept for later requests."),
	}
}

// each calls f for each vector.
func (m *classMetrics) each(f func(prometheus.Collector)) {
	for _, v := range []prometheus.Collector{m.gets, m.hits, m.misses, m.puts, m.inUse, m.idle} {
		f(v)
	}
}

// add adds to the counters of a name what the classes of a pool counted since before.
func (m *classMetrics) add(name string, classes []bytespool.ClassStats, before map[int]classCounts) {
	for _, c := range classes {
		b := before[c.Capacity]
		capacity := strconv.Itoa(c.Capacity)
		m.gets.WithLabelValues(name, capacity).Add(advance(&b.gets, c.Gets))
		m.hits.WithLabelValues(name, capacity).Add(advance(&b.hits, c.Hits))
		m.misses.WithLabelValues(name, capacity).Add(advance(&b.misses, c.Misses))
		m.puts.WithLabelValues(name, capacity).Add(advance(&b.puts, c.Puts))
		before[c.Capacity] = b
	}
}

// set sets the gauges of a name. A class whose pools are gone, while others of the
// name are not, holds nothing.
func (m *classMetrics) set(name string, s *sum) {
	for capacity, c := range s.classes {
		m.inUse.WithLabelValues(name, strconv.Itoa(capacity)).Set(float64(c.inUse))
		m.idle.WithLabelValues(name, strconv.Itoa(capacity)).Set(float64(c.idle))
	}
}

// remove removes the metrics of a name.
func (m *classMetrics) remove(name string) { removeFrom(m.each, name) }
