// Package octetprom exports the figures of octet's pools to Prometheus.
//
//	prometheus.MustRegister(octetprom.NewCollector())
//
// # Metrics
//
// There is one for each field of package [github.com/octet-go/octet/bytespool/stats], which HELP explains.
// The name has its unit at its end, after a prefix. Counters end in
// _total, and times in _timestamp_seconds. A limit, a budget or a time is absent where there
// is none.
//
// Of each pool (figures.Pools), with the label pool, which is its name:
//
//	octet_pool_gets_total      requests that a class served
//	octet_pool_hits_total      those that were served from idle memory
//	octet_pool_misses_total    those that had to allocate
//	octet_pool_puts_total      releases that a class took
//	octet_pool_in_use_bytes    capacity that was handed out and not released
//	octet_pool_idle_bytes      capacity that is kept for later requests
//	octet_pool_rejected_total  requests that a limit rejected
//	octet_pool_budget_bytes    the bound on idle memory
//	…
//
// Of its drops (figures.Drops), with the labels pool and reason:
//
//	octet_pool_dropped_total        slices that were released and not kept
//	octet_pool_dropped_bytes_total  their capacity
//
// The reasons are over_budget, over_bound (nobody had asked for as many lately), aged (not used
// for long), trimmed (Trim was called, or a checked mode began or ended), abandoned (left to the
// collector) and front_cut (the slice did not begin where its memory does).
//
// Of each limit on bytes in use (figures.Limits), with the label limit: the name of a limit
// that pools share ([bytespool.NewLimit]), or of the pool that has it alone:
//
//	octet_limit_bytes           the limit
//	octet_limit_in_use_bytes    capacity that its pools have handed out
//	octet_limit_reserved_bytes  set aside, and not taken yet
//	octet_limit_waiting         requests that wait for room
//	octet_limit_rejected_total  requests that the limit rejected
//	…
//
// Of the program, its memory (figures.Pressures) and misuse:
//
//	octet_pressure_limit_bytes   its memory limit (GOMEMLIMIT)
//	octet_pressure_retain_bytes  unused memory that pools may retain
//	…
//	octet_findings_total         misuse of pooled memory that package checked has found
//
// With [WithClasses], of each class of each pool, with the labels pool and capacity
// (bytes of a slice): octet_pool_class_gets_total, octet_pool_class_hits_total,
// octet_pool_class_misses_total, octet_pool_class_puts_total, octet_pool_class_in_use
// (slices) and octet_pool_class_idle_bytes.
//
// # Names
//
// Pools of the same name are added up, and so are limits; of times and steps, the largest
// counts. Those without a name are called "unnamed". Bytes
// of a name that are not UTF-8 are replaced by U+FFFD. When one of several pools of a
// name is collected, its counters stay part of the sum, as they were at the last scrape.
// When the last one is, the metrics of the name end.
//
// The file alerts.yml of the module has rules for alerts.
package octetprom

import (
	"github.com/prometheus/client_golang/prometheus"
)

// An Option changes the collector of [NewCollector].
type Option interface{ apply(*collector) }

type classesOption struct{}

func (classesOption) apply(c *collector) { c.withClasses() }

// WithClasses adds the metrics of classes, six for each size of slices that a pool was
// asked for. The default is without.
func WithClasses() Option { return classesOption{} }

// NewCollector returns a collector of the figures of all pools of the program. It reads
// them when it is scraped, which takes some microseconds a pool, and costs nothing
// else. It is safe for concurrent use, and may be registered with several registries.
func NewCollector(opts ...Option) prometheus.Collector {
	c := newCollector()
	for _, o := range opts {
		o.apply(c)
	}
	return c
}
