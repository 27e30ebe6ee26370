package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A giving is one release.
type giving struct {
	row      *api.Func
	pool     string // "" if it is not known
	at       place
	deferred bool
	typ      types.Type // the static type of what is released
	name     string     // of the variable that is released
}

// release takes v back into a pool.
func (e *explorer) release(s *state, v value, g giving) {
	if s.knownOf(v).kind == isNil {
		return
	}
	for i, x := range v.all() {
		if x.rel == holds || i > 0 {
			// One of several: which is not known.
			e.several[e.young(x.obj)] = true
			s.update(x.obj, func(st *status) { st.phase = gone })
			continue
		}
		if y := e.boxed(s, x); y != x {
			x, g.typ = y, nil
		} else if y := e.inField(s, x, g.typ); y != x {
			x, g.typ = y, nil
		}
		e.releaseRef(s, x, g)
	}
}

// boxed returns what goes back in a new box if x is a variable that holds a slice: the
// pooled box that the slice came in, which the program drops, or else the slice.
// Otherwise it returns x.
func (e *explorer) boxed(s *state, x ref) ref {
	a, variable := x.obj.site.(*ssa.Alloc)
	if !variable || x.path != "" || x.rel != whole {
		return x
	}
	held := s.mem[cell{x.obj, ""}]
	if held.stale || len(held.refs) == 0 || len(held.refs) > 1 && held.refs[0].obj.root().list == nil {
		return x
	}
	switch y := held.refs[0]; {
	case y.rel == whole && inBox(y.obj):
		return ref{obj: y.obj.parent}
	case y.rel <= part && y.path == "" && isSlice(elemOfPointer(a.Type())) && (y.obj.acq != nil || y.obj.root().kind == inputObject || y.obj.root().list != nil || y.obj.takenOutOf(nil)):
		return y
	}
	return x
}

// inField returns the slice in a field if x is the address of that, of type t: the struct
// around it is not given away. Otherwise it returns x.
func (e *explorer) inField(s *state, x ref, t types.Type) ref {
	elem := elemOfPointer(t)
	if elem == nil || x.rel != whole || !strings.HasPrefix(x.path, ".") || !isSlice(elem) {
		return x
	}
	held, ok := s.mem[cell{x.obj, x.path}]
	switch {
	case !ok:
		return ref{obj: e.content(x.obj, x.path, elem)}
	case len(held.refs) == 1 && held.refs[0].rel == whole && held.refs[0].path == "":
		return held.refs[0]
	}
	return x
}

// inBox reports whether o is the slice in a pooled box.
func inBox(o *object) bool { return o.parent != nil && o.parent.acq != nil && o.path == "" }

func (e *explorer) releaseRef(s *state, x ref, g giving) {
	st := s.status[x.obj]
	o := x.obj
	e.frees[e.young(o)]++
	if o.source != nil && st.owners == 0 {
		e.sourceFreed[o.source] = true
	}
	if owner := o.parent; owner != nil && owner.taken && e.owns(owner.typ) {
		e.frees[e.young(owner)]++
		if owner.source != nil {
			e.sourceFreed[owner.source] = true
		}
		s.update(owner, func(st *status) { st.phase = gone })
	}
	if of := o.root(); of.list != nil {
		e.lists[of.list] = true
		e.releasesEach(s, of.site, []ref{{obj: of.list}}, g.at.seenFrom(of.in))
	}
	switch {
	case st.phase == gone:
		return
	case st.phase == released && g.row != nil && (g.row.Family == api.Buffers || g.row.Family == api.SyncPool && g.pool == "") && o.acq == nil && loopsOver(st.at, o):
		// The loop gives back as many references as the Buffer's owner has counted.
		s.update(o, func(st *status) { st.phase = gone })
		return
	case st.phase == released || st.phase == handed:
		if r := e.report(s, DoubleRelease, o, g.at, st.at); r != nil && o.name(e.in) == "" {
			r.rename(g.name)
		}
		return
	case st.phase == moved || x.old && st.phase == live:
		e.report(s, GrownAndLost, o, g.at, st.at)
		return
	case st.phase == sent && g.deferred:
		e.report(s, AliasEscape, o, st.at, g.at)
		return
	case st.phase == sent:
		e.report(s, RaceAfterRelease, o, g.at, st.at)
		return
	}
	if e.misplaced(s, x, g) {
		return
	}
	e.rightly[spot{e.young(o), e.seenAt(o, g.at).pos}] = true
	e.takesBack(o, st, g.at)
	if st.many {
		s.update(o, func(st *status) { st.phase = gone })
		return
	}
	if st.owners > 0 {
		s.update(o, func(st *status) { st.owners-- })
		return
	}
	if len(st.tasks) > 0 {
		e.report(s, RaceAfterRelease, o, g.at, st.tasks[0].at)
		return
	}
	if busy := e.busyInside(s, o); busy.valid() {
		e.report(s, RaceAfterRelease, o, g.at, busy)
		return
	}
	e.pilesUp(o, g.at)
	e.borrowed(s, o)
	e.outOfField(o, g.at)
	if declared(x, g.typ) {
		e.emptied(s, x, g)
		return
	}
	if o.kind == localObject {
		// Its next user has what it holds.
		e.eachReached(s, to(o), func(r ref) {
			if r.obj != o {
				s.handOver(r.obj)
			}
		})
	}
	e.end(s, o, released, g.at, g.deferred)
	s.update(o, func(st *status) { st.decided = s.decided(o) })
	if g.row != nil && g.row.Family != nil {
		s.update(o, func(st *status) { st.family, st.pool, st.rel = g.row.Family.Name, g.pool, x.rel })
	}
	if o.kind == inputObject && o.typ != nil && types.IsInterface(o.typ) {
		s.mistake(g.pool)
	}
	if o.kind == inputObject && o.typ != nil && types.IsInterface(o.typ) && concrete(g.typ) {
		s.update(o, func(st *status) { st.as = g.typ })
	}
}

// pilesUp reports that o, which is acquired in a loop without a condition, is released at the
// place at, by a call that each round of the loop defers: what all of them have acquired goes
// back when the function returns.
func (e *explorer) pilesUp(o *object, at place) {
	deferred := at.chain()[0]
	late, ok := deferred.instr.(*ssa.Defer)
	if !ok || o.acq == nil || !o.at.valid() {
		return
	}
	site := o.at.level(0).instr
	for head := late.Block(); head != nil; head = head.Idom() {
		if endless(head) && inLoop(head, late.Block()) && inLoop(head, site.Block()) && everyRound(head, late.Block()) {
			if r := e.newReport(MissingRelease, o, deferred, nowhere); r != nil && !e.muted {
				r.Why = PilesUp
				e.reports = append(e.reports, r)
			}
			return
		}
	}
}

// endless reports whether a loop without a condition, or range, begins with head.
func endless(head *ssa.BasicBlock) bool {
	return head.Comment == "for.body" && reaches(head, head) && !slices.ContainsFunc(head.Preds, func(b *ssa.BasicBlock) bool {
		return b.Comment == "for.loop"
	})
}

// mistake notes that a parameter of an interface type goes back to a pool: what came from
// there and is lost was meant, most likely, and not left to the collector because a call failed.
func (s *state) mistake(pool string) {
	if pool == "" {
		return
	}
	s.losses = slices.Clone(s.losses)
	for i, l := range s.losses {
		s.losses[i].broken = l.broken && l.origin != pool
	}
}

// busyInside returns where a buffer that the pooled memory o came with was sent or given
// to a goroutine that still works on it. The next user of o finds that buffer.
func (e *explorer) busyInside(s *state, o *object) place {
	if o.acq == nil {
		return nowhere
	}
	busy := nowhere
	for _, path := range s.cells(o) {
		e.eachReached(s, s.mem[cell{o, path}], func(x ref) {
			st := s.status[x.obj]
			switch {
			case busy.valid() || x.obj.parent != o || x.obj.path != path || !isBuffer(x.obj.typ) || st.many || st.owners > 0:
			case st.phase == sent:
				busy = st.at
			case st.phase == live && len(st.tasks) > 0:
				busy = st.tasks[0].at
			}
		})
	}
	return busy
}

// A spot is an object at a position.
type spot struct {
	obj *object
	pos token.Pos
}

// seenAt returns p as it shows in the function that o was acquired in.
func (e *explorer) seenAt(o *object, p place) place {
	acquired := acquiredAt(o)
	if !acquired.valid() {
		return p
	}
	return p.level(meet(acquired, p, false))
}

// loopsOver reports whether the call at p is in a loop that o, or what o is a part
// of, comes from outside of.
func loopsOver(p place, o *object) bool {
	o = o.root()
	if call, ok := p.instr.(*ssa.Call); ok {
		from, inside := o.site.(ssa.Instruction)
		return reaches(call.Block(), call.Block()) && !(inside && o.in == p.in && reaches(call.Block(), from.Block()))
	}
	return false
}

// young returns the object of the latest round for that of any.
func (e *explorer) young(o *object) *object {
	if o.age == 0 {
		return o
	}
	return e.intern(objectKey{o.site, o.in, o.part, o.parent, o.path, 0}, func(x *object) {
		x.kind, x.at, x.names, x.typ, x.acq = o.kind, o.at, o.names, o.typ, o.acq
		x.taken, x.source = o.taken, o.source
	})
}

// end puts o, and the memory inside of o that belongs to it, into phase p.
func (e *explorer) end(s *state, o *object, p phase, at place, deferred bool) {
	set := func(o *object, rider bool) {
		s.update(o, func(st *status) {
			st.phase, st.at, st.deferred, st.rider = p, at, deferred, rider
		})
	}
	sent := sentOver(s.status[o].at) != nil
	set(o, false)
	if p != released {
		return
	}
	if sent {
		e.awaited[e.young(o)] = true
	}
	for _, path := range s.cells(o) {
		for _, x := range s.mem[cell{o, path}].refs {
			if x.obj.kind == contentObject && x.obj.parent == o && x.obj.typ != nil && isSlice(x.obj.typ) &&
				s.status[x.obj].phase == live {
				set(x.obj, true)
			}
		}
	}
}

// abandoned reports whether o is a bytes.Buffer of the function's own that only
// it can reach and that it does not use after the release at pos. The bytes
// inside are anybody's to release then.
func abandoned(o *object, pos token.Pos) bool {
	a, ok := o.site.(*ssa.Alloc)
	if !ok || elemOfPointer(a.Type()).String() != "bytes.Buffer" {
		return false
	}
	for _, use := range *a.Referrers() {
		if _, ok := use.(*ssa.DebugRef); ok {
			continue
		}
		call, ok := use.(*ssa.Call)
		if !ok || call.Call.IsInvoke() || call.Call.Args[0] != a || call.Pos() > pos && !isArgument(call, pos) ||
			reaches(call.Block(), call.Block()) && !reaches(a.Block(), a.Block()) {
			return false
		}
	}
	return true
}

// isArgument reports whether v is an argument of the call at pos, which stands
// in front of its arguments.
func isArgument(v ssa.Value, pos token.Pos) bool {
	return slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		_, call := use.(ssa.CallInstruction)
		return call && use.Pos() == pos
	})
}

// borrowsByContract reports whether fn is the Read or Write method of an
// io.Reader or io.Writer and p its slice.
func borrowsByContract(fn *ssa.Function, p ssa.Value) bool {
	sig := fn.Signature
	if sig.Recv() == nil || fn.Name() != "Read" && fn.Name() != "Write" {
		return false
	}
	return sig.Params().Len() == 1 && isBytes(sig.Params().At(0).Type()) && sig.Results().Len() == 2 &&
		isError(sig.Results().At(1).Type()) && len(fn.Params) == 2 && fn.Params[1] == p
}
