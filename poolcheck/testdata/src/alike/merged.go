package alike

import "sync"

type outcome struct{ errs, warns []error }

var outcomes = sync.Pool{New: func() any { return new(outcome) }}

func newOutcome() *outcome {
	r := outcomes.Get().(*outcome)
	r.errs, r.warns = r.errs[:0], r.warns[:0]
	return r
}

func (r *outcome) merge(o *outcome) {
	r.errs = append(r.errs, o.errs...)
	outcomes.Put(o)
}

func partOf(i int) ([]string, *outcome) {
	res := newOutcome()
	if i%7 == 0 {
		res.errs = append(res.errs, nil)
	}
	return nil, res
}

// ok: what has nothing in it is not merged, and left to the collector.
func mergeAll(n int) *outcome {
	res := newOutcome()
	for i := range n {
		_, rep := partOf(i)
		if rep != nil && len(rep.errs) > 0 {
			res.merge(rep)
		}
	}
	return res
}
