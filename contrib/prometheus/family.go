package octetprom

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/octet-go/octet/internal/figures"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// A family is the metrics of one kind of things, such as pools, by the labels of these. A
// thing is a source of figures: those of all sources with the same labels are added up.
type family[T any] struct {
	metrics []metric[T]
	scrape  int // the number of this scrape
	sources map[source]*counters
	sums    map[labels]*sum
	alive   map[string]bool // the first labels of sources that this scrape has seen
}

// A metric is a figure as Prometheus has it.
type metric[T any] struct {
	desc   *prometheus.Desc
	kind   figures.Kind
	reason string  // the last label, of drops; else ""
	unit   float64 // divides the value
	value  func(*T) int64
}

// A source tells things apart: by the number of a pool or a limit, and the capacity of a
// class.
type source struct {
	id       uint64
	capacity int
}

// labels are the values of one or two labels, or none.
type labels [2]string

// compare orders labels as Prometheus does, which sorts their names first: the capacity of
// a class stands before its pool.
func (l labels) compare(o labels) int {
	return cmp.Or(strings.Compare(l[1], o[1]), strings.Compare(l[0], o[0]))
}

// counters are those of a source when it was last scraped, by metric. A sum of counters
// gets what came since, so that it does not fall when a source is gone.
type counters struct {
	scrape int
	values []int64
}

// A sum is what all sources with the same labels say together, by metric.
type sum struct {
	values []float64
	pairs  [][]*dto.LabelPair // the labels
}

// newFamily returns the metrics of a table.
func newFamily[T any](prefix string, table []figures.Figure[T], names ...string) *family[T] {
	f := &family[T]{sources: make(map[source]*counters), sums: make(map[labels]*sum)}
	for i := range table {
		r := &table[i]
		name, unit := prefix+r.Key(), 1.
		switch r.Unit {
		case figures.Seconds:
			unit = 1e9
		case figures.Time:
			name, unit = name+"_timestamp_seconds", 1e9
		}
		if r.Kind == figures.Counter {
			name += "_total"
		}
		f.metrics = append(f.metrics, metric[T]{prometheus.NewDesc(name, r.Help, names, nil), r.Kind, "", unit, r.Value})
	}
	return f
}

func (f *family[T]) describe(ch chan<- *prometheus.Desc) {
	for _, m := range f.metrics {
		ch <- m.desc
	}
}

// begin begins a scrape.
func (f *family[T]) begin() {
	f.scrape++
	f.alive = make(map[string]bool)
	for _, s := range f.sums {
		for i, m := range f.metrics {
			if m.kind != figures.Counter {
				s.values[i] = 0
			}
		}
	}
}

// add adds the figures of a source, unless this scrape has seen it before.
func (f *family[T]) add(v *T, from source, l labels) {
	before := f.sources[from]
	if before == nil {
		before = &counters{values: make([]int64, len(f.metrics))}
		f.sources[from] = before
	}
	if before.scrape == f.scrape {
		return
	}
	before.scrape = f.scrape
	f.alive[l[0]] = true
	s := f.sums[l]
	if s == nil {
		s = f.newSum(l)
		f.sums[l] = s
	}
	for i, m := range f.metrics {
		switch n := m.value(v); m.kind {
		case figures.Counter:
			s.values[i] += advance(&before.values[i], n) / m.unit
		case figures.Largest:
			s.values[i] = max(s.values[i], float64(n)/m.unit)
		default:
			s.values[i] += float64(n) / m.unit
		}
	}
}

func (f *family[T]) newSum(l labels) *sum {
	s := &sum{make([]float64, len(f.metrics)), make([][]*dto.LabelPair, len(f.metrics))}
	for i, m := range f.metrics {
		var values []string
		for _, v := range append(l[:], m.reason) {
			if v != "" {
				values = append(values, v)
			}
		}
		s.pairs[i] = prometheus.MakeLabelPairs(m.desc, values)
	}
	return s
}

// collect ends a scrape. Sources that it has not seen are gone. Their counters stay part of
// the sums until no source has the first label any more.
func (f *family[T]) collect(ch chan<- prometheus.Metric) {
	maps.DeleteFunc(f.sources, func(_ source, c *counters) bool { return c.scrape != f.scrape })
	maps.DeleteFunc(f.sums, func(l labels, _ *sum) bool { return !f.alive[l[0]] })
	// In this order the registry finds the metrics of each name sorted, as it shows them.
	for _, l := range slices.SortedFunc(maps.Keys(f.sums), labels.compare) {
		s := f.sums[l]
		for i, m := range f.metrics {
			none := m.kind == figures.Bound || m.kind == figures.Largest
			if none && s.values[i] == 0 {
				continue
			}
			ch <- &sample{desc: m.desc, pairs: s.pairs[i], isCounter: m.kind == figures.Counter, value: s.values[i]}
		}
	}
}

// A sample is the value of a metric at a scrape. It is a [prometheus.Metric] that does not
// make its labels again each time, and takes one allocation.
type sample struct {
	desc      *prometheus.Desc
	pairs     []*dto.LabelPair
	isCounter bool
	value     float64
	counter   dto.Counter
	gauge     dto.Gauge
}

// Desc implements [prometheus.Metric].
func (s *sample) Desc() *prometheus.Desc { return s.desc }

// Write implements [prometheus.Metric]. It may be called more than once.
func (s *sample) Write(m *dto.Metric) error {
	m.Label = s.pairs
	if s.isCounter {
		s.counter.Value = &s.value
		m.Counter = &s.counter
	} else {
		s.gauge.Value = &s.value
		m.Gauge = &s.gauge
	}
	return nil
}

// label returns the value of a label for things of a name.
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
func advance(before *int64, now int64) float64 {
	if now <= *before {
		return 0
	}
	by := now - *before
	*before = now
	return float64(by)
}
