// Package bug pushes series to remote storages, each with rules of its own.
package bug

import (
	"sync"
	"sync/atomic"
)

type label struct{ name, value string }

type series struct {
	labels  []label
	samples []float64
}

func resetSeries(tss []series) []series {
	clear(tss)
	return tss[:0]
}

var tssPool = sync.Pool{New: func() any {
	a := []series{}
	return &a
}}

type relabelCtx struct{ labels []label }

var relabelCtxs = sync.Pool{New: func() any { return new(relabelCtx) }}

func getRelabelCtx() *relabelCtx { return relabelCtxs.Get().(*relabelCtx) }

func putRelabelCtx(rc *relabelCtx) {
	clear(rc.labels)
	rc.labels = rc.labels[:0]
	relabelCtxs.Put(rc)
}

func (rc *relabelCtx) apply(tss []series, drop map[string]bool) []series {
	rc.labels = rc.labels[:0]
	kept := tss[:0]
	for _, ts := range tss {
		n := len(rc.labels)
		for _, l := range ts.labels {
			if !drop[l.name] {
				rc.labels = append(rc.labels, l)
			}
		}
		if ts.labels = rc.labels[n:]; len(ts.labels) > 0 {
			kept = append(kept, ts)
		}
	}
	return kept
}

type storage struct {
	drop      map[string]bool
	dedup     bool
	push      func([]series) bool
	aggregate func([]series)
	failures  atomic.Int64
	dropped   atomic.Int64
}

func (s *storage) tryPush(tss []series, force bool) bool {
	var rc *relabelCtx
	var v *[]series
	defer func() {
		if v != nil {
			*v = resetSeries(tss)
			tssPool.Put(v)
		}
		if rc != nil {
			putRelabelCtx(rc)
		}
	}()

	copyIfNeeded := func() {
		if v == nil {
			v := tssPool.Get().(*[]series)
			tss = append(*v, tss...)
		}
	}

	if len(s.drop) > 0 {
		rc = getRelabelCtx()
		// The other storages get the series as they are.
		copyIfNeeded()
		tss = rc.apply(tss, s.drop)
		if len(tss) == 0 {
			return true
		}
	}
	if s.dedup {
		copyIfNeeded()
		s.aggregate(tss)
		return true
	}
	if s.push(tss) {
		return true
	}
	s.failures.Add(1)
	if force {
		s.dropped.Add(int64(len(tss)))
		return true
	}
	return false
}
