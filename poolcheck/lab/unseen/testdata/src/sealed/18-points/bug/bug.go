// Package bug evaluates queries over time series.
package bug

import (
	"errors"
	"sort"
	"sync"
)

const lookback = 300_000

var errTooManySamples = errors.New("the query needs too many samples")

type point struct {
	t int64
	v float64
}

var pointPool sync.Pool

func getPoints(size int) []point {
	if p := pointPool.Get(); p != nil {
		return p.([]point)
	}
	return make([]point, 0, size)
}

func putPoints(p []point) {
	pointPool.Put(p[:0])
}

// A stored series has its points in the order of time.
type stored struct {
	labels string
	points []point
}

// at returns the last value that is not older than lookback.
func (s *stored) at(t int64) (float64, bool) {
	i := sort.Search(len(s.points), func(i int) bool { return s.points[i].t > t })
	if i == 0 || s.points[i-1].t < t-lookback {
		return 0, false
	}
	return s.points[i-1].v, true
}

// between appends the points after mint, up to maxt.
func (s *stored) between(mint, maxt int64, dst []point) []point {
	i := sort.Search(len(s.points), func(i int) bool { return s.points[i].t > mint })
	for ; i < len(s.points) && s.points[i].t <= maxt; i++ {
		dst = append(dst, s.points[i])
	}
	return dst
}

type series struct {
	labels string
	points []point
}

// A matrix owns the points of its series.
type matrix []series

func (m matrix) release() {
	for _, s := range m {
		putPoints(s.points)
	}
}

type evaluator struct {
	start, end, interval int64
	maxSamples           int
	samples              int
}

func (ev *evaluator) steps() int { return int((ev.end-ev.start)/ev.interval) + 1 }

// instant takes the value of each series at each step.
func (ev *evaluator) instant(list []*stored) (matrix, error) {
	mat := make(matrix, 0, len(list))
	for _, s := range list {
		out := series{labels: s.labels, points: getPoints(ev.steps())}
		for t := ev.start; t <= ev.end; t += ev.interval {
			v, ok := s.at(t)
			if !ok {
				continue
			}
			if ev.samples >= ev.maxSamples {
				putPoints(out.points)
				mat.release()
				return nil, errTooManySamples
			}
			out.points = append(out.points, point{t, v})
			ev.samples++
		}
		if len(out.points) > 0 {
			mat = append(mat, out)
		}
	}
	return mat, nil
}

// A function has a value for a window of points, or none.
type function func(window []point) (float64, bool)

// over calls a function at each step with the points before it.
func (ev *evaluator) over(fn function, span int64, list []*stored) (matrix, error) {
	mat := make(matrix, 0, len(list))
	window := getPoints(16)
	for _, s := range list {
		out := series{labels: s.labels, points: getPoints(ev.steps())}
		for t := ev.start; t <= ev.end; t += ev.interval {
			window = s.between(t-span, t, window[:0])
			if v, ok := fn(window); ok {
				out.points = append(out.points, point{t, v})
			}
		}
		if len(out.points) > 0 {
			mat = append(mat, out)
			ev.samples += len(out.points)
		}
		if ev.samples > ev.maxSamples {
			mat.release()
			putPoints(window)
			return nil, errTooManySamples
		}
	}
	putPoints(window)
	return mat, nil
}
