package flow

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A Code is a class of misuse.
type Code string

const (
	UseAfterRelease  Code = "OCT001"
	AliasEscape      Code = "OCT002"
	DoubleRelease    Code = "OCT003"
	MissingRelease   Code = "OCT004"
	RaceAfterRelease Code = "OCT005"
	PartReleased     Code = "OCT006"
	ForeignRelease   Code = "OCT007"
	GrownAndLost     Code = "OCT008"
	DirtyReuse       Code = "OCT009"
)

// A Report is one misuse.
type Report struct {
	Code     Code
	Pos      token.Pos // of what is wrong
	Name     string    // of the variable
	Acquired token.Pos // where the memory came from, if it is known
	Other    token.Pos // the release, store, or return that makes it wrong
	Family   *api.Family
	Type     types.Type

	// For a MissingRelease that a deferred release would cure: the acquiring
	// call, nil if a deferred release might release twice.
	Leaked *ssa.CallCommon

	object *object
}

// report records a misuse of o. After the first one nothing more is said of
// the same memory on this path: what follows, follows from the same mistake.
func (e *explorer) report(s *state, code Code, o *object, pos, other token.Pos) {
	s.update(o, func(st *status) { st.phase = gone })
	for p := o.parent; p != nil; p = p.parent {
		if p.acq != nil {
			s.update(p, func(st *status) { st.phase = gone })
		}
	}
	if code == GrownAndLost {
		for x := range s.status {
			if x.movedFrom(e.young(o)) {
				s.update(x, func(st *status) { st.phase = gone })
			}
		}
	}
	if e.muted || !e.relevant(o) {
		return
	}
	e.reports = append(e.reports, &Report{
		Code: code, Pos: pos, Name: e.nameOf(o), Acquired: acquiredAt(o), Other: other, Family: familyOf(o), Type: o.typ,
		object: e.young(o),
	})
}

// rename gives the last report another name than that of its memory's first
// variable.
func (e *explorer) rename(name string) {
	if n := len(e.reports); n > 0 && name != "" && !e.muted {
		e.reports[n-1].Name = name
	}
}

// movedFrom reports whether o holds what appends have moved from p.
func (o *object) movedFrom(p *object) bool {
	seen := make(map[*object]bool)
	var from func(o *object) bool
	from = func(o *object) bool {
		if o.from[p] {
			return true
		}
		seen[o] = true
		for x := range o.from {
			if !seen[x] && from(x) {
				return true
			}
		}
		return false
	}
	return from(o)
}

// relevant reports whether the memory o is what poolcheck is for.
func (e *explorer) relevant(o *object) bool {
	return o.typ == nil || HoldsBytes(o.typ) || carries(o.typ) && isText(o.typ) || types.IsInterface(o.typ)
}

func acquiredAt(o *object) token.Pos {
	for ; o != nil; o = o.parent {
		if o.acq != nil {
			return o.pos
		}
	}
	return token.NoPos
}

func familyOf(o *object) *api.Family {
	if o.acq != nil {
		return o.acq.family
	}
	return nil
}

func (e *explorer) nameOf(o *object) string {
	for x := o; x != nil; x = x.parent {
		if x.name != "" {
			return x.name
		}
	}
	return ""
}

// settle returns the reports of the function: one for each piece of memory,
// the gravest and first.
func (e *explorer) settle() []*Report {
	if e.tooMany {
		return nil
	}
	for o, leaks := range e.leaks {
		e.leaked(o, leaks)
	}
	slices.SortStableFunc(e.reports, func(a, b *Report) int {
		if la, lb := a.Code == MissingRelease, b.Code == MissingRelease; la != lb {
			if la {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Other, b.Other))
	})
	var out []*Report
	seen := make(map[*object]bool)
	for _, r := range e.reports {
		if !seen[r.object] && r.Pos.IsValid() {
			seen[r.object] = true
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *Report) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Code, b.Code)) })
	return out
}
