package paths

import (
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// Decoder returns which decoder the value v of reg is, or leads to by a path of fields. One that is read out of a
// parameter is known by its place there, so that callers know it, too. One that leads nowhere gets an object.
func (r *Run) Decoder(s *domain.State, reg ssa.Value, path string) (domain.Cell, bool) {
	v := r.Value(s, reg)
	if len(v.Refs) == 0 {
		o := r.Object(reg, -1, domain.Local)
		for w, l := range s.Life.All() {
			if l.Source.Obj == o { // of the one of the round before
				s.Life.Set(w, domain.Life{Phase: domain.Gone})
			}
		}
		v = domain.Value{Refs: domain.Of(o).Refs, Fact: v.Fact}
		s.Life.Set(o, domain.Life{})
		Set(s, reg, v)
	}
	ref, ok := v.Single()
	if !ok || ref.Rel == domain.Fault {
		return domain.Cell{}, false
	}
	if param, from := ir.Origin(ref.Obj.Site); ref.Obj.Kind == domain.Loaded && param != nil && param.Parent() == r.fn {
		return domain.Cell{Obj: r.Object(param, -1, domain.Input), Path: from + path}, true
	}
	if ref.Rel != domain.Addr {
		ref.Path = ""
	}
	return domain.Cell{Obj: ref.Obj, Path: ref.Path + path}, true
}

// Window returns what a decoder shows of its buffer as result k of call, or as its only one if k is -1. Nobody has
// to release it, and it is over when the decoder reads on.
func (r *Run) Window(s *domain.State, call *ssa.Call, k int, of domain.Cell) *domain.Object {
	o := r.Object(call, k, domain.Acquired)
	if s.Life.Get(o).Phase == domain.Released && s.Held(o) {
		// A variable has that of the round before. The two take turns, so that it can be told from the new one.
		t := o.Type
		o = r.Object(call, -2, domain.Acquired)
		o.Type = t
	}
	s.Forget(o)
	o.Family, o.Result = api.Windows, max(k, 0)
	s.Life.Set(o, domain.Life{Source: of})
	return o
}

// Turn says that a decoder reads on: its windows are over.
func (r *Run) Turn(s *domain.State, decoder domain.Cell, at ssa.Instruction) {
	if decoder.Obj.Kind == domain.Input && decoder.Obj.Param >= 0 && r.mute == 0 {
		r.Turned[decoder] = true
	}
	for o, l := range s.Life.All() {
		if l.Source != decoder || l.Phase != domain.Live {
			continue
		}
		l.Phase, l.At, l.By = domain.Released, at, at
		if r.Deferred != nil {
			l.At = r.Deferred
		}
		kept := l.Kept
		if kept == nil && !l.Waited {
			kept = l.Handed
		}
		if kept != nil { // whoever finds it there is too late
			r.note(Event{Kind: Keeps, Ref: domain.Ref{Obj: o}, At: kept, Life: l})
			l.Phase = domain.Gone
		}
		s.Life.Set(o, l)
	}
}

// Keep says that a map, a list or the like has what v leads to.
func (r *Run) Keep(s *domain.State, v domain.Value, at ssa.Instruction) {
	r.Escape(s, v, at)
	for _, o := range s.Reach(v) {
		if l := s.Life.Get(o); l.Phase == domain.Live && (l.Source.Obj != nil || o.Kind == domain.Input) {
			s.Update(o, func(l *domain.Life) { l.Kept = at })
		}
	}
	for _, ref := range r.within(s, v) {
		if ref.Obj.Kind == domain.Acquired && (ref.Rel == domain.Part || ref.Rel == domain.View) {
			s.Update(ref.Obj, func(l *domain.Life) { l.Listed = at })
		}
	}
}

// within returns what v refers to, and what the list of arguments does that it may be.
func (r *Run) within(s *domain.State, v domain.Value) []domain.Ref {
	if ref, ok := v.Single(); ok && ref.Obj.Kind == domain.Local && !Variable(ref.Obj) {
		v = r.whole(s, domain.Cell{Obj: ref.Obj})
		for _, c := range Cells(s, ref.Obj) {
			v = v.Join(s.Mem.Get(c))
		}
	}
	return v.Refs
}
