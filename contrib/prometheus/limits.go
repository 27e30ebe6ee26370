package octetprom

import (
	"github.com/octet-go/octet/bytespool"
	"github.com/prometheus/client_golang/prometheus"
)

// sharedLimits are the limits that pools share, by name: those that a scrape has seen, and
// what all of one name say together.
type sharedLimits struct {
	bytes, inUse, reserved, waiting *prometheus.Desc

	seen map[*bytespool.Limit]bool
	sums map[string]*bytespool.LimitStats
}

func newSharedLimits() *sharedLimits {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("octet_limit_"+name, help, []string{"limit"}, nil)
	}
	return &sharedLimits{
		bytes:    desc("bytes", "A limit on bytes in use that pools share."),
		inUse:    desc("in_use_bytes", "Capacity that all pools of a shared limit have handed out."),
		reserved: desc("reserved_bytes", "Bytes that were set aside below a shared limit and not taken yet."),
		waiting:  desc("waiting", "Requests that wait for room below a shared limit."),
	}
}

// begin forgets the last scrape.
func (m *sharedLimits) begin() {
	m.seen, m.sums = make(map[*bytespool.Limit]bool), make(map[string]*bytespool.LimitStats)
}

// add adds the limit that a pool shares, once.
func (m *sharedLimits) add(l *bytespool.Limit) {
	if l == nil || m.seen[l] {
		return
	}
	m.seen[l] = true
	name := label(l.Name())
	s := m.sums[name]
	if s == nil {
		s = new(bytespool.LimitStats)
		m.sums[name] = s
	}
	stats := l.Stats()
	s.Limit += stats.Limit
	s.InUse += stats.InUse
	s.Reserved += stats.Reserved
	s.Waiting += stats.Waiting
}

func (m *sharedLimits) describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.bytes, m.inUse, m.reserved, m.waiting} {
		ch <- d
	}
}

func (m *sharedLimits) collect(ch chan<- prometheus.Metric) {
	for name, s := range m.sums {
		for d, value := range map[*prometheus.Desc]int64{m.bytes: s.Limit, m.inUse: s.InUse, m.reserved: s.Reserved, m.waiting: int64(s.Waiting)} {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), name)
		}
	}
}
