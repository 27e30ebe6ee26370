package paths

import (
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
)

// Send gives what v leads to, or shows, to whoever receives it.
func (r *Run) Send(s *domain.State, v domain.Value, at ssa.Instruction) {
	r.Hand(s, s.Reach(v), at)
	r.Escape(s, v, at)
	for _, o := range s.Reach(v) {
		s.Update(o, func(l *domain.Life) { l.Escaped = true })
	}
}

// Hand says that another goroutine has objs since at, unless it was given a reference of its own.
func (r *Run) Hand(s *domain.State, objs []*domain.Object, at ssa.Instruction) {
	for _, o := range objs {
		if l := s.Life.Get(o); (o.Kind == domain.Acquired || o.Kind == domain.Input) && l.Phase == domain.Live && l.Extra == 0 {
			s.Update(o, func(l *domain.Life) { l.Handed, l.Waited = at, false })
		}
	}
}

// Leave says that a Transport may read what v leads to from at on, whatever anybody waits for.
func (r *Run) Leave(s *domain.State, v domain.Value, at ssa.Instruction) {
	r.Hand(s, s.Reach(v), at)
	for _, o := range s.Reach(v) {
		if s.Life.Get(o).Handed == at {
			s.Update(o, func(l *domain.Life) { l.Left = true })
		}
	}
}

// Wait says that something may wait until other goroutines are done with what they have.
func (r *Run) Wait(s *domain.State) {
	for o, l := range s.Life.All() {
		if l.Handed != nil && !l.Waited {
			l.Waited = true
			s.Life.Set(o, l)
		}
	}
}
