package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// touch records that the memory that v leads to is read or written at pos.
func (e *explorer) touch(s *state, v value, at place) {
	through := make(map[*object]bool)
	var touch func(v value)
	touch = func(v value) {
		e.touchRefs(s, v, at)
		for _, x := range v.refs {
			// What a reader or writer holds is touched through it.
			if x.rel == holds || through[x.obj] {
				continue
			}
			through[x.obj] = true
			if held, ok := s.mem[cell{x.obj, "held"}]; ok && !held.stale {
				touch(held)
			}
			// So is what a list of variadic arguments holds, or a struct in an interface.
			a, list := x.obj.site.(*ssa.Alloc)
			if _, boxed := x.obj.site.(*ssa.MakeInterface); boxed || list && a.Comment == "varargs" {
				for _, p := range s.cells(x.obj) {
					touch(s.mem[cell{x.obj, p}])
				}
			}
		}
		for _, k := range sortedKeys(v.sub) {
			touch(v.sub[k])
		}
	}
	touch(v)
}

func (e *explorer) touchRefs(s *state, v value, at place) {
	for _, x := range v.refs {
		if x.rel == holds {
			continue
		}
		if name := e.inputPath(s, x.obj); name != "" {
			e.used[name] = true
			if fieldOfInput(x.obj) != nil && !slices.Contains(e.touches[x.obj], at) {
				e.touches[x.obj] = append(e.touches[x.obj], at)
			}
		}
		st := s.status[x.obj]
		switch {
		case st.phase == sent:
			e.afterSend(s, x.obj, at, nil)
		case st.phase == released && st.late.valid():
		case st.phase == released && e.depth() > meet(st.at, at, true):
			// If the callee releases the memory, too, that is worse.
			s.update(x.obj, func(st *status) { st.late = at })
		case st.phase == released:
			e.report(s, UseAfterRelease, x.obj, at, st.at)
		case st.phase == moved || x.old && st.phase == live:
			e.report(s, GrownAndLost, x.obj, at, st.at)
		}
	}
}

// usedLate reports memory that had been released before the call c, and that the callee,
// which has just ended, used without releasing it again. A callee that may release it reads
// a count or a flag first: that is a double release.
func (e *explorer) usedLate(s *state, c *call, callee *context) {
	for _, o := range sortedObjects(s.status) {
		st := s.status[o]
		if st.phase == released && st.late.valid() && st.late.in.within(callee) && callee.depth == 1+meet(st.at, st.late, true) {
			code := UseAfterRelease
			if e.gives(c, callee.fn, o) {
				code = DoubleRelease
			}
			e.report(s, code, o, st.late, st.at)
		}
	}
}

// gives reports whether fn, called by c, may release its argument o.
func (e *explorer) gives(c *call, fn *ssa.Function, o *object) bool {
	sum := e.summary(fn)
	k := slices.IndexFunc(c.args, func(a value) bool { return a.identity() == o })
	return sum != nil && k >= 0 && sum.gives(k)
}

// outlived marks as gone what the callee, which has just ended, has acquired and released
// and returns all the same: the fault is its own, not that of every caller.
func (e *explorer) outlived(s *state, result value, callee *context) {
	e.eachReached(s, result, func(r ref) {
		st := s.status[r.obj]
		if st.phase == released && st.at.in.within(callee) && r.obj.root().in.within(callee) {
			s.update(r.obj, func(st *status) { st.phase = gone })
		}
	})
}

// touchCell touches what a load or store of a cell of type t reads or writes.
// To take a slice out of a container that shows pooled memory, or to put one
// there, is no access to that memory yet.
func (e *explorer) touchCell(s *state, addr value, t types.Type, at place) {
	if carries(t) {
		direct := value{}
		for _, x := range addr.refs {
			if x.rel < view {
				direct.refs = append(direct.refs, x)
			}
		}
		e.touchRefs(s, direct, at)
		return
	}
	e.touch(s, addr, at)
}
