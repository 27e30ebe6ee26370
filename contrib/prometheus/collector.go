package octetprom

import (
	"strconv"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/figures"
	"github.com/prometheus/client_golang/prometheus"
)

type collector struct {
	mu        sync.Mutex // held during a scrape
	pools     *family[stats.Pool]
	limits    *family[stats.Limit]
	pressures *family[stats.Pressure]
	classes   *family[stats.Class] // without metrics unless they are asked for
	findings  *prometheus.Desc
}

func newCollector() *collector {
	return &collector{
		pools:     newPools(),
		limits:    newFamily("octet_limit_", figures.Limits, "limit"),
		pressures: newFamily("octet_pressure_", figures.Pressures),
		classes:   newFamily[stats.Class]("", nil),
		findings:  prometheus.NewDesc("octet_findings_total", "Misuse of pooled memory that package checked has found.", nil, nil),
	}
}

// newPools returns the metrics of pools, with a label for the reason of drops.
func newPools() *family[stats.Pool] {
	f := newFamily("octet_pool_", figures.Pools, "pool")
	names := []string{"pool", "reason"}
	slices := prometheus.NewDesc("octet_pool_dropped_total", "Slices that were released and not kept.", names, nil)
	bytes := prometheus.NewDesc("octet_pool_dropped_bytes_total", "Capacity that was released and not kept.", names, nil)
	for _, r := range figures.Drops {
		f.metrics = append(f.metrics,
			metric[stats.Pool]{slices, r.Kind, r.Name, 1, func(p *stats.Pool) int64 { return r.Value(&p.Dropped) }},
			metric[stats.Pool]{bytes, r.Kind, r.Name, 1, func(p *stats.Pool) int64 { return r.Value(&p.DroppedBytes) }})
	}
	return f
}

// withClasses adds the metrics of classes.
func (c *collector) withClasses() {
	c.classes = newFamily("octet_pool_class_", figures.Classes, "pool", "capacity")
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.findings
	c.pools.describe(ch)
	c.limits.describe(ch)
	c.pressures.describe(ch)
	c.classes.describe(ch)
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.update()
	ch <- prometheus.MustNewConstMetric(c.findings, prometheus.CounterValue, float64(checked.Current().Findings))
	c.pools.collect(ch)
	c.limits.collect(ch)
	c.pressures.collect(ch)
	c.classes.collect(ch)
}

// update adds the figures of all pools. The caller holds c.mu.
func (c *collector) update() {
	c.pools.begin()
	c.limits.begin()
	c.pressures.begin()
	c.classes.begin()
	for p := range bytespool.Pools() {
		s := p.Stats()
		name := label(s.Name)
		c.pools.add(&s, source{id: s.ID}, labels{name})
		if !s.Pressure.At.IsZero() {
			c.pressures.add(&s.Pressure, source{}, labels{}) // the same for all
		}
		if s.Limit.Bytes > 0 {
			c.limits.add(&s.Limit, source{id: s.Limit.ID}, labels{label(s.Limit.Name)}) // others may share it
		}
		if c.classes.metrics == nil {
			continue
		}
		for i := range s.Classes {
			k := &s.Classes[i]
			c.classes.add(k, source{s.ID, k.Capacity}, labels{name, strconv.Itoa(k.Capacity)})
		}
	}
}
