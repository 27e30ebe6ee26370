// Package fixed counts what a program does, and gathers the counts from time to
// time.
package fixed

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

type metricKind int

const (
	countMetric metricKind = iota
	gaugeMetric
	rateMetric
)

type metricKey struct {
	namespace, name string
	kind            metricKind
}

type metricData struct {
	Name     string
	Kind     metricKind
	Interval int64
	Points   [][2]float64
}

// A Handle is what a caller has of a metric. It is for many goroutines.
type Handle interface {
	Submit(value float64)
	Get() float64
}

type metricHandle interface {
	Handle
	payload() (metricData, bool)
}

type metrics struct {
	store sync.Map // metricKey to metricHandle
}

func newMetrics() *metrics { return new(metrics) }

// LoadOrStore returns the metric of a key, a new one if there is none.
func (m *metrics) LoadOrStore(key metricKey) Handle {
	var handle metricHandle
	switch key.kind {
	case countMetric:
		handle = &count{metric: metric{key: key}}
	case gaugeMetric:
		handle = &gauge{metric: metric{key: key}}
	case rateMetric:
		r := &rate{count: count{metric: metric{key: key}}}
		now := time.Now()
		r.start.Store(&now)
		handle = r
	default:
		return nil
	}
	actual, _ := m.store.LoadOrStore(key, handle)
	return actual.(Handle)
}

// Gather takes the points of all metrics.
func (m *metrics) Gather() []metricData {
	var series []metricData
	m.store.Range(func(_, handle any) bool {
		if data, ok := handle.(metricHandle).payload(); ok {
			series = append(series, data)
		}
		return true
	})
	return series
}

// Run gathers until done is closed.
func (m *metrics) Run(every time.Duration, send func([]metricData), done <-chan struct{}) {
	ticker := time.NewTicker(every)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				if series := m.Gather(); len(series) > 0 {
					send(series)
				}
			}
		}
	}()
}

type metricPoint struct {
	value float64
	time  time.Time
}

type metric struct {
	key metricKey
	ptr atomic.Pointer[metricPoint]
}

func (m *metric) Get() float64 {
	if point := m.ptr.Load(); point != nil {
		return point.value
	}
	return math.NaN()
}

func (m *metric) payload() (metricData, bool) {
	point := m.ptr.Swap(nil)
	if point == nil {
		return metricData{}, false
	}
	return m.data(point), true
}

func (m *metric) data(point *metricPoint) metricData {
	return metricData{
		Name:   m.key.namespace + "." + m.key.name,
		Kind:   m.key.kind,
		Points: [][2]float64{{float64(point.time.Unix()), point.value}},
	}
}

// A count adds up until it is gathered.
type count struct{ metric }

func (c *count) Submit(value float64) {
	newPoint := new(metricPoint)
	newPoint.time = time.Now()
	for {
		oldPoint := c.ptr.Load()
		var oldValue float64
		if oldPoint != nil {
			oldValue = oldPoint.value
		}
		newPoint.value = oldValue + value
		if c.ptr.CompareAndSwap(oldPoint, newPoint) {
			return
		}
	}
}

// A gauge has the last value.
type gauge struct{ metric }

func (g *gauge) Submit(value float64) {
	newPoint := new(metricPoint)
	newPoint.time = time.Now()
	newPoint.value = value
	for {
		oldPoint := g.ptr.Load()
		if g.ptr.CompareAndSwap(oldPoint, newPoint) {
			return
		}
	}
}

// A rate is a count for each second of the interval.
type rate struct {
	count
	start atomic.Pointer[time.Time]
}

func (r *rate) Get() float64 {
	sum := r.count.Get()
	seconds := time.Since(*r.start.Load()).Seconds()
	if int64(seconds) == 0 {
		return math.NaN()
	}
	return sum / seconds
}

func (r *rate) payload() (metricData, bool) {
	now := time.Now()
	seconds := now.Sub(*r.start.Swap(&now)).Seconds()
	if int64(seconds) == 0 {
		return metricData{}, false
	}
	point := r.ptr.Swap(nil)
	if point == nil {
		return metricData{}, false
	}

	data := r.data(&metricPoint{value: point.value / seconds, time: point.time})
	data.Interval = int64(seconds)
	return data, true
}
