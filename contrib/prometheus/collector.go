package octetprom

import (
	"strings"
	"sync"
	"weak"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/prometheus/client_golang/prometheus"
)

type collector struct {
	pools    *poolMetrics
	classes  *classMetrics // nil if they are not asked for
	limits   *sharedLimits
	findings *prometheus.Desc

	mu   sync.Mutex // held during a scrape
	seen map[weak.Pointer[bytespool.CapacityPools]]*counters
	sums map[string]*sum // by label; the names at the last scrape
}

// counters are those of a pool at the last scrape. A vector of package prometheus has
// their sums over pools of one name: each scrape adds what came since the last.
type counters struct {
	pool    [readings]uint64    // in the order of poolMetrics.read
	classes map[int]classCounts // by capacity
}

func newCollector() *collector {
	return &collector{
		pools:    newPoolMetrics(),
		limits:   newSharedLimits(),
		findings: prometheus.NewDesc("octet_findings_total", "Misuse of pooled memory that package checked has found.", nil, nil),
		seen:     make(map[weak.Pointer[bytespool.CapacityPools]]*counters),
		sums:     make(map[string]*sum),
	}
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.findings
	c.limits.describe(ch)
	c.pools.each(func(v prometheus.Collector) { v.Describe(ch) })
	if c.classes != nil {
		c.classes.each(func(v prometheus.Collector) { v.Describe(ch) })
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.update()
	c.limits.collect(ch)
	ch <- prometheus.MustNewConstMetric(c.findings, prometheus.CounterValue, float64(checked.Current().Findings))
	c.pools.each(func(v prometheus.Collector) { v.Collect(ch) })
	if c.classes != nil {
		c.classes.each(func(v prometheus.Collector) { v.Collect(ch) })
	}
}

// update brings all metrics up to date. The caller holds c.mu.
func (c *collector) update() {
	for _, s := range c.sums {
		*s = sum{classes: s.classes}
		for capacity := range s.classes { // or a gauge would stay as it was
			s.classes[capacity] = classSum{}
		}
	}
	c.limits.begin()
	for p := range bytespool.Pools() {
		stats := p.Stats()
		c.limits.add(stats.Limit.Shared)
		name := label(stats.Name)
		w := weak.Make(p)
		before := c.seen[w]
		if before == nil {
			before = &counters{classes: make(map[int]classCounts)}
			c.seen[w] = before
		}
		s := c.sums[name]
		if s == nil {
			s = &sum{classes: make(map[int]classSum)}
			c.sums[name] = s
		}
		s.add(&stats, c.classes != nil)
		c.pools.add(name, &stats, &before.pool)
		if c.classes != nil {
			c.classes.add(name, stats.Classes, before.classes)
		}
	}
	for w := range c.seen {
		if w.Value() == nil {
			delete(c.seen, w)
		}
	}
	for name, s := range c.sums {
		if s.pools == 0 {
			delete(c.sums, name)
			c.pools.remove(name)
			if c.classes != nil {
				c.classes.remove(name)
			}
			continue
		}
		c.pools.set(name, s)
		if c.classes != nil {
			c.classes.set(name, s)
		}
	}
}

// label returns the value of the label pool for pools of a name.
func label(name string) string {
	if name == "" {
		return "unnamed"
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// advance moves a counter that was at *before to now, and returns by how much. The
// counters of a pool are read one by one while they change, so that what is computed
// from several of them may seem to go back: then nothing is added until it has passed
// where it was.
func advance(before *uint64, now uint64) float64 {
	if now <= *before {
		return 0
	}
	by := now - *before
	*before = now
	return float64(by)
}
