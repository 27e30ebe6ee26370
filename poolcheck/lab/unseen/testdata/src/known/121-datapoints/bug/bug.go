// Package bug gets the points of series and makes them fit what was asked for.
package bug

import (
	"context"
	"math"
	"sync"
)

// A point is a value at a time.
type point struct {
	val float64
	ts  uint32
}

var pointSlices = sync.Pool{
	// It is more than what most requests need.
	New: func() any { return make([]point, 0, 2000) },
}

type consolidator int

const (
	none consolidator = iota
	avg
	sum
	cnt
)

type request struct {
	target   string
	from, to uint32
	interval uint32
	cons     consolidator
	rollup   bool // read what was aggregated in advance
}

type series struct {
	target   string
	from, to uint32
	points   []point
}

// An iterator goes through a chunk of points.
type iterator interface {
	Next() bool
	Values() (uint32, float64)
}

// A store has the chunks of a series, and the points that are too new for one.
type store interface {
	Get(ctx context.Context, target string, cons consolidator) ([]iterator, []point, error)
}

// A Server answers requests.
type Server struct{ store store }

// fix returns points at multiples of the interval, with NaN where there is none.
func fix(in []point, from, to, interval uint32) []point {
	first := (from + interval - 1) / interval * interval
	last := (to - 1) / interval * interval
	if last < first {
		return []point{}
	}
	n := int((last-first)/interval) + 1
	out := pointSlices.Get().([]point)
	i := 0
	for t := first; t <= last; t += interval {
		for i < len(in) && in[i].ts+interval <= t {
			i++
		}
		p := point{math.NaN(), t}
		if i < len(in) && in[i].ts <= t {
			p.val = in[i].val
			i++
		}
		out = append(out, p)
		if len(out) == n {
			break
		}
	}
	return out
}

// divide divides a by b, point by point, and returns a.
func divide(a, b []point) []point {
	for i := range a {
		a[i].val /= b[i].val
	}
	return a
}

// divideUnlessDone divides unless the request has ended.
func divideUnlessDone(ctx context.Context, a, b []point) []point {
	select {
	case <-ctx.Done():
		return nil
	default:
	}
	return divide(a, b)
}

// Targets returns the series that were asked for. Release gives them back.
func (s *Server) Targets(ctx context.Context, reqs []request) ([]series, error) {
	out := make([]series, 0, len(reqs))
	for _, req := range reqs {
		points, err := s.target(ctx, req)
		if err != nil {
			Release(out)
			return nil, err
		}
		out = append(out, series{req.target, req.from, req.to, points})
	}
	return merge(out), nil
}

// Release puts back the points of series that are not used any more.
func Release(list []series) {
	for _, s := range list {
		if cap(s.points) > 0 {
			pointSlices.Put(s.points[:0])
		}
	}
}

func (s *Server) target(ctx context.Context, req request) ([]point, error) {
	if !req.rollup {
		return s.fixed(ctx, req, none)
	}
	if req.cons != avg {
		return s.fixed(ctx, req, req.cons)
	}
	sums, err := s.fixed(ctx, req, sum)
	if err != nil {
		return nil, err
	}
	counts, err := s.fixed(ctx, req, cnt)
	if err != nil {
		return nil, err
	}
	return divideUnlessDone(ctx, sums, counts), nil
}

// fixed returns the points of a series, quantized.
func (s *Server) fixed(ctx context.Context, req request, cons consolidator) ([]point, error) {
	iters, recent, err := s.store.Get(ctx, req.target, cons)
	if err != nil {
		return nil, err
	}
	points := append(collect(iters, req), recent...)
	return fix(points, req.from, req.to, req.interval), nil
}

// collect returns the points of chunks, as far as they were asked for.
func collect(iters []iterator, req request) []point {
	points := pointSlices.Get().([]point)
	for _, it := range iters {
		for it.Next() {
			if ts, val := it.Values(); ts >= req.from && ts < req.to {
				points = append(points, point{val, ts})
			}
		}
	}
	return points
}

// merge makes one series of those that have the same target and times: the first
// one, with points of the others where it has none.
func merge(in []series) []series {
	type segment struct {
		target   string
		from, to uint32
	}
	groups := make(map[segment][]series)
	for _, s := range in {
		seg := segment{s.target, s.from, s.to}
		groups[seg] = append(groups[seg], s)
	}
	merged := make([]series, 0, len(groups))
	for _, group := range groups {
		first := group[0]
		for i := range first.points {
			for _, s := range group {
				if i < len(s.points) && !math.IsNaN(s.points[i].val) {
					first.points[i].val = s.points[i].val
					break
				}
			}
		}
		merged = append(merged, first)
	}
	return merged
}
