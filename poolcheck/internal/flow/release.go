package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
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

// usedLate reports what the callee that ends now, of the call c, has used after its
// release, and not released itself: because it counts, or asks, before it does.
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

// outlived takes for gone what the callee that ends now has acquired, released and
// returned all the same: that is its own fault, and not that of every caller.
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

// A giving is one release.
type giving struct {
	row      *api.Func
	pool     string // "" if it is not known
	at       place
	deferred bool
	typ      types.Type // the static type of what is released
	name     string     // of the variable that is released
	short    bool       // is a slice that was cut to a length
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
	if held.stale || len(held.refs) != 1 {
		return x
	}
	switch y := held.refs[0]; {
	case y.rel == whole && inBox(y.obj):
		return ref{obj: y.obj.parent}
	case y.rel <= part && y.path == "" && isSlice(elemOfPointer(a.Type())) && (y.obj.acq != nil || y.obj.root().kind == inputObject):
		return y
	}
	return x
}

// inBox reports whether o is the slice in a pooled box.
func inBox(o *object) bool { return o.parent != nil && o.parent.acq != nil && o.path == "" }

func (e *explorer) releaseRef(s *state, x ref, g giving) {
	st := s.status[x.obj]
	o := x.obj
	e.frees[e.young(o)]++
	if o.list != nil {
		e.lists[o.list] = true
		e.releasesEach(s, o.site, []ref{{obj: o.list}}, g.at.seenFrom(o.in))
	}
	switch {
	case st.phase == gone:
		return
	case st.phase == released && g.row != nil && g.row.Family == api.Buffers && o.acq == nil && loopsOver(st.at, o):
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
	e.borrowed(s, o)
	e.outOfField(o)
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
	})
}

// end puts o, and the memory inside of o that belongs to it, into phase p.
func (e *explorer) end(s *state, o *object, p phase, at place, deferred bool) {
	set := func(o *object, rider bool) {
		s.update(o, func(st *status) {
			st.phase, st.at, st.deferred, st.rider = p, at, deferred, rider
		})
	}
	set(o, false)
	if p != released {
		return
	}
	for _, path := range s.cells(o) {
		for _, x := range s.mem[cell{o, path}].refs {
			if x.obj.kind == contentObject && x.obj.parent == o && x.obj.typ != nil && isBytes(x.obj.typ) &&
				s.status[x.obj].phase == live {
				set(x.obj, true)
			}
		}
	}
}

// misplaced reports a release of something that is no whole, or not the
// pool's.
func (e *explorer) misplaced(s *state, x ref, g giving) bool {
	o := x.obj
	if g.row == nil || g.row.Family == nil {
		return false
	}
	if x.rel == part && x.path == "" && (g.typ == nil || isBytes(g.typ)) && !isArraySlice(x) {
		e.report(s, PartReleased, o, g.at, nowhere)
		return true
	}
	if a := o.acq; g.short && a != nil && a.family == api.SyncPool && x.rel == whole && a.pool.find().lengthUsed() {
		e.report(s, PartReleased, o, g.at, nowhere)
		return true
	}
	if foreign := e.foreign(s, x, g); foreign {
		from := s.status[o].origin
		if r := e.report(s, ForeignRelease, o, g.at, nowhere); r != nil {
			r.rename(g.name)
			if r.moves = e.transferred(from, g.pool); r.moves != (transfer{}) {
				e.transfers[r.moves] = true
			}
		}
		return true
	}
	// A pointer to a slice, or a Buffer, goes back with a slice that has lost its
	// head.
	for _, inside := range []string{"", ".B"} {
		c, ok := s.mem[cell{o, inside}]
		if !ok || x.path != "" || x.rel != whole || o.acq == nil || inside != "" && o.acq.family != api.Buffers {
			continue
		}
		for _, y := range c.refs {
			if y.rel == part && y.obj.parent == o {
				e.report(s, PartReleased, o, g.at, nowhere)
				return true
			}
		}
	}
	return false
}

func isArraySlice(x ref) bool { return strings.HasSuffix(x.path, "[:]") }

// foreign reports whether x comes from another pool than g's, or belongs to
// somebody who still needs it.
func (e *explorer) foreign(s *state, x ref, g giving) bool {
	o, family := x.obj, g.row.Family
	if a := o.acq; a != nil && x.rel == whole {
		free := func(f *api.Family) bool { return f == api.User || f == api.Proxy || f == api.Likely }
		if free(a.family) || free(family) {
			return false
		}
		if a.family != family {
			return true
		}
		if st := s.status[o]; otherPool(st.origin, g.pool) && (!st.judged || st.setting) { // its size tells
			return true
		}
		return family == api.SyncPool && g.typ != nil && o.typ != nil && !types.Identical(o.typ, g.typ) &&
			concrete(o.typ) && concrete(g.typ)
	}
	if g.typ == nil || !isBytes(g.typ) {
		return false
	}
	switch {
	case isArraySlice(x) && x.rel < view:
		return true
	case o.lent:
		return true
	case x.rel == view && o.typ != nil && (isString(o.typ) || isReader(o.typ) || o.acq != nil):
		return !abandoned(o, g.at.pos)
	case x.rel == whole && o.kind == inputObject && o.parent == nil && borrowsByContract(e.fn, o.site):
		return true
	}
	// The inside of what is itself pooled.
	if o.kind == contentObject && o.parent.acq != nil && o.parent.acq.family != family {
		return isBytes(o.typ) && o.path != "" && s.there(o)
	}
	return family == api.SyncPool && o.kind == contentObject && o.parent.acq != nil && o.path == ""
}

// concrete reports whether t is known, and neither an interface nor made of type
// parameters.
func concrete(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return !generic(t) && !types.IsInterface(t)
}

// generic reports whether t is a type parameter, or made of one.
func generic(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return generic(t.Elem())
	case *types.Slice:
		return generic(t.Elem())
	case *types.Array:
		return generic(t.Elem())
	case *types.Map:
		return generic(t.Key()) || generic(t.Elem())
	case *types.Chan:
		return generic(t.Elem())
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if generic(arg) {
				return true
			}
		}
	}
	return false
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isReader reports whether t is a buffer of the standard library that goes on
// using what it shows.
func isReader(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
	case "bufio.Reader", "bufio.Scanner", "bufio.Writer", "bytes.Buffer":
		return true
	}
	return false
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
