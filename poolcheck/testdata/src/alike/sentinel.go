package alike

import "sync"

type slip struct{ done chan struct{} }

var slips = sync.Pool{New: func() any { return &slip{make(chan struct{}, 1)} }}

// completed stands for a batch that has ended.
var completed = &slip{}

type submitter struct{ closed bool }

func (e *submitter) submit() *slip {
	if e.closed {
		return completed
	}
	return slips.Get().(*slip)
}

type future struct{ b *slip }

func (f future) Wait() {
	<-f.b.done
	if f.b != completed {
		slips.Put(f.b)
	}
}

// ok: where it equals the sentinel it is not from the pool.
func submit(e, other *submitter) (future, bool) {
	b := e.submit()
	if b == completed {
		if other == nil {
			return future{}, false
		}
		b = other.submit()
	}
	return future{b}, true
}
