package contract

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// instr runs an instruction in s, and returns the states that come of it.
func (r *run) instr(s *domain.State, i ssa.Instruction) []*domain.State {
	switch i := i.(type) {
	case *ssa.Call:
		return r.call(s, i, &i.Call, r.value(s, i.Call.Value), r.values(s, ir.Args(&i.Call)))
	case *ssa.Go:
		given, args := r.value(s, i.Call.Value), r.values(s, ir.Args(&i.Call))
		fn, bound := literal(s, &i.Call, given)
		for _, v := range args {
			given = given.Join(v)
		}
		r.spawn(s, i, fn, ir.Callee(&i.Call), bound, args, given)
	case *ssa.Defer:
		r.deferCall(s, i)
	case *ssa.RunDefers:
		return r.runDefers(s)
	case *ssa.Store:
		if !r.copyStruct(s, i) {
			r.store(s, i, r.value(s, i.Addr), r.value(s, i.Val))
		}
	case *ssa.MapUpdate:
		r.escape(s, r.value(s, i.Key), i)
		r.escape(s, r.value(s, i.Value), i)
	case *ssa.Send:
		r.send(s, r.value(s, i.X), i)
	case *ssa.Select:
		return r.choose(s, i)
	case *ssa.Panic:
		return nil
	case *ssa.Extract:
		if _, ok := i.Tuple.(*ssa.TypeAssert); ok && i.Index == 0 {
			set(s, i, r.value(s, i.Tuple))
		} else if !ok {
			break // the tuple has set it
		}
	case ssa.Value:
		set(s, i, r.compute(s, i))
	}
	return []*domain.State{s}
}

func (r *run) values(s *domain.State, regs []ssa.Value) []domain.Value {
	var all []domain.Value
	for _, v := range regs {
		all = append(all, r.value(s, v))
	}
	return all
}

// compute returns the value of an instruction that has no other effect.
func (r *run) compute(s *domain.State, i ssa.Value) domain.Value {
	switch i := i.(type) {
	case *ssa.Alloc:
		return r.alloc(s, i)
	case *ssa.MakeClosure:
		o := r.object(i, -1, domain.Local)
		s.Life.Set(o, domain.Life{})
		for k, b := range i.Bindings {
			if i.Fn.(*ssa.Function).Synthetic != "" { // a method value
				r.escape(s, r.value(s, b), i)
			}
			s.Mem.Set(domain.Cell{Obj: o, Path: "." + strconv.Itoa(k)}, r.value(s, b))
		}
		v := domain.Of(o)
		v.Fact = domain.NonNil
		return v
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		return domain.Value{Fact: domain.NonNil}
	case *ssa.MakeInterface:
		v := r.value(s, i.X)
		if ref, ok := v.Single(); ok && ref.Obj.Kind == domain.Local && r.p.pools(i.X.Type()) {
			for _, c := range cells(s, ref.Obj) {
				r.lose(s, s.Mem.Get(c)) // who is given the interface may release it by a method
			}
		}
		if it, ok := i.Type().Underlying().(*types.Interface); ok && it.NumMethods() > 0 && passed(i) && r.p.pools(i.X.Type()) {
			for _, ref := range v.Refs { // nor is it the function's alone
				s.Update(ref.Obj, func(l *domain.Life) { l.Escaped = true })
			}
		}
		if v.Fact = domain.NonNil; !ir.Carries(i.X.Type()) {
			v.Refs = nil
		}
		return v
	case *ssa.ChangeType:
		return r.value(s, i.X)
	case *ssa.ChangeInterface:
		return r.value(s, i.X)
	case *ssa.SliceToArrayPointer:
		return r.value(s, i.X)
	case *ssa.Convert:
		return r.convert(s, i)
	case *ssa.TypeAssert:
		v := r.value(s, i.X)
		if !i.CommaOk && !types.IsInterface(i.AssertedType) || i.CommaOk {
			v.Fact = domain.NonNil
		}
		if it, ok := i.AssertedType.Underlying().(*types.Interface); ok && i.CommaOk && ir.Releases(it) {
			r.lose(s, v) // it is released if it can be
		}
		if !ir.Carries(i.AssertedType) {
			v.Refs = nil
		}
		return v
	case *ssa.Slice:
		return r.slice(s, i)
	case *ssa.FieldAddr:
		return at(r.value(s, i.X), "."+ir.Field(i).Name())
	case *ssa.IndexAddr:
		path := "[]"
		if k, ok := i.Index.(*ssa.Const); ok {
			ref, _ := r.value(s, i.X).Single()
			if _, array := i.X.Type().Underlying().(*types.Pointer); array || ref.Obj != nil && ref.Obj.Kind == domain.Local && ref.Rel == domain.Whole {
				path = "[" + k.Value.String() + "]"
			}
		}
		return at(r.value(s, i.X), path)
	case *ssa.Field:
		if ir.Carries(i.Type()) {
			return domain.Value{Refs: r.value(s, i.X).Refs}
		}
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			return r.load(s, i)
		case token.NOT:
			return domain.Value{Fact: r.value(s, i.X).Fact.Not()}
		}
	case *ssa.BinOp:
		if i.Op == token.EQL || i.Op == token.NEQ {
			v, w := r.value(s, i.X), r.value(s, i.Y)
			if ref, ok := v.Single(); ok && ref.Rel == domain.Whole && slices.Equal(v.Refs, w.Refs) {
				return domain.Value{Fact: truth(i.Op == token.EQL)}
			}
			x, y := v.Fact, w.Fact
			if k, ok := i.Y.(*ssa.Const); ok && x >= domain.Case-1 {
				return domain.Value{Fact: truth((k.Int64() == int64(x)-int64(domain.Case)) == (i.Op == token.EQL))}
			}
			if x != domain.Unknown && y != domain.Unknown && (x == domain.Nil || y == domain.Nil || x == domain.True || x == domain.False) {
				return domain.Value{Fact: truth((x == y) == (i.Op == token.EQL))}
			}
		}
	case *ssa.Range:
		return r.value(s, i.X).As(domain.View)
	case *ssa.Next:
		r.use(s, r.value(s, i.Iter), i)
	case *ssa.Lookup:
		r.use(s, r.value(s, i.X), i)
	case *ssa.Index:
		r.use(s, r.value(s, i.X), i)
		if ir.Carries(i.Type()) {
			r.lose(s, r.value(s, i.X))
		}
	}
	return domain.Value{}
}

// truth returns the fact that b is.
func truth(b bool) domain.Fact {
	if b {
		return domain.True
	}
	return domain.False
}

// passed reports whether a call is given v, which may then give itself back by a method.
//
// Fixture: alike/merged.go.
func passed(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		_, ok := use.(ssa.CallInstruction)
		return ok
	})
}

// choose runs a select statement: there is a state for each case.
func (r *run) choose(s *domain.State, i *ssa.Select) []*domain.State {
	r.selects = true
	var states []*domain.State
	add := func(k int) *domain.State {
		t := s.Copy()
		states = append(states, t)
		for _, use := range *i.Referrers() {
			if e, ok := use.(*ssa.Extract); ok && e.Index == 0 {
				set(t, e, domain.Value{Fact: domain.Case + domain.Fact(k)})
			}
		}
		return t
	}
	for k, c := range i.States {
		if t := add(k); c.Send != nil {
			r.send(t, r.value(t, c.Send), i)
		}
	}
	if !i.Blocking {
		add(-1)
	}
	return states
}

// alloc makes a variable, or a value that new or a literal makes.
func (r *run) alloc(s *domain.State, i *ssa.Alloc) domain.Value {
	o := r.object(i, -1, domain.Local)
	if _, ok := s.Life.Lookup(o); ok && s.Held(o) {
		for _, x := range s.Reach(domain.Of(o)) { // the one of the round before, which is not followed
			s.Life.Set(x, domain.Life{Phase: domain.Gone})
		}
	}
	s.Forget(o)
	s.Life.Set(o, domain.Life{})
	elem := i.Type().Underlying().(*types.Pointer).Elem()
	switch u := elem.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Interface, *types.Signature, *types.Map:
		s.Mem.Set(domain.Cell{Obj: o}, domain.Value{Fact: domain.Nil})
	case *types.Basic:
		if u.Kind() == types.Bool {
			s.Mem.Set(domain.Cell{Obj: o}, domain.Value{Fact: domain.False})
		}
	case *types.Struct:
		for f := range u.Fields() {
			switch f.Type().Underlying().(type) {
			case *types.Pointer, *types.Slice, *types.Interface:
				s.Mem.Set(domain.Cell{Obj: o, Path: "." + f.Name()}, domain.Value{Fact: domain.Nil})
			}
		}
	}
	v := domain.Of(o)
	v.Fact = domain.NonNil
	return v
}

// at returns the address of a cell in what v points to, or is a slice of.
func at(v domain.Value, path string) domain.Value {
	ref, ok := v.Single()
	if !ok {
		return domain.Value{Fact: domain.NonNil}
	}
	if ref.Rel == domain.View || ref.Rel == domain.Addr {
		path = ref.Path + path
	}
	ref.Rel, ref.Path = domain.Addr, path
	return domain.Value{Refs: []domain.Ref{ref}, Fact: domain.NonNil}
}

func (r *run) convert(s *domain.State, i *ssa.Convert) domain.Value {
	v := r.value(s, i.X)
	_, fromSlice := i.X.Type().Underlying().(*types.Slice)
	_, toSlice := i.Type().Underlying().(*types.Slice)
	if fromSlice != toSlice { // a copy
		r.use(s, v, i)
		return domain.Value{}
	}
	if !ir.Carries(i.Type()) {
		return domain.Value{}
	}
	return v
}

// slice returns what x[low:high:max] leads to.
func (r *run) slice(s *domain.State, i *ssa.Slice) domain.Value {
	v := r.value(s, i.X)
	if _, ok := i.X.Type().Underlying().(*types.Pointer); ok { // of an array
		if ref, ok := v.Single(); ok && ref.Rel == domain.Whole && ref.Obj.Kind == domain.Local {
			return v // its elements are in its cells
		}
	}
	if _, ok := i.X.Type().Underlying().(*types.Basic); ok {
		return domain.Value{Refs: v.As(domain.View).Refs}
	}
	part := false
	if i.Low != nil {
		k, ok := i.Low.(*ssa.Const)
		part = !ok || constant.Sign(k.Value) != 0
	}
	if i.Max != nil {
		_, fixed := i.Max.(*ssa.Const)
		c, ok := i.Max.(*ssa.Call)
		part = part || !fixed && (!ok || c.Call.Value.Name() != "cap")
	}
	if part {
		return domain.Value{Refs: v.As(domain.Part).Refs}
	}
	return domain.Value{Refs: v.Refs, Fact: v.Fact}
}

// load returns what the address i.X points to holds.
func (r *run) load(s *domain.State, i *ssa.UnOp) domain.Value {
	if _, ok := i.X.(*ssa.Global); ok && ir.IsError(i.Type()) {
		return domain.Value{Fact: domain.NonNil} // such as io.EOF
	}
	addr := r.value(s, i.X)
	ref, ok := addr.Single()
	if !ok {
		return domain.Value{}
	}
	if ref.Rel == domain.Part || ref.Rel == domain.View {
		r.use(s, addr, i)
		return domain.Value{}
	}
	if ref.Obj.Kind != domain.Local {
		r.use(s, addr, i)
	}
	cell := domain.Cell{Obj: ref.Obj, Path: ref.Path}
	t := i.Type()
	if ref.Obj.Kind == domain.Local && unsteady(ref.Path) { // any of the elements
		for _, c := range cells(s, ref.Obj) {
			r.lose(s, s.Mem.Get(c))
		}
	}
	if _, ok := t.Underlying().(*types.Struct); ok {
		if ref.Obj.Kind == domain.Acquired && ref.Rel == domain.Whole {
			s.Update(ref.Obj, func(l *domain.Life) { l.Escaped = true }) // with what it holds
		}
		return r.whole(s, cell)
	}
	if v, ok := s.Mem.Lookup(cell); ok {
		return v
	}
	if ref.Obj.Kind == domain.Local && ir.Carries(t) {
		for _, c := range cells(s, ref.Obj) { // a struct that was assigned as a whole
			if strings.HasPrefix(ref.Path, c.Path) {
				return domain.Value{Refs: s.Mem.Get(c).Refs}
			}
		}
	}
	if !ir.Carries(t) || ref.Obj.Kind == domain.Local && !s.Life.Get(ref.Obj).Escaped || unsteady(ref.Path) {
		return domain.Value{}
	}
	if ref.Obj.Kind == domain.Acquired && ir.IsList(t) {
		if ref.Path == "" {
			return domain.Value{Refs: []domain.Ref{{Obj: ref.Obj, Path: "*"}}}
		}
		if fa, ok := i.X.(*ssa.FieldAddr); ok && ir.Field(fa).Pkg() == r.p.Package && !ir.Field(fa).Exported() && !r.p.kept[ir.Field(fa)] {
			return domain.Value{} // nobody writes to this list: another one takes its place
		}
		return domain.Value{Refs: []domain.Ref{{Obj: ref.Obj, Rel: domain.View, Path: ref.Path}}}
	}
	if fa, ok := i.X.(*ssa.FieldAddr); ok && ref.Obj.Kind == domain.Acquired && r.p.hasOwn(ir.Field(fa)) {
		return domain.Value{Refs: []domain.Ref{{Obj: ref.Obj, Rel: domain.View, Path: ref.Path}}}
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Interface:
	case *types.Signature: // a method of it, which may release it
		s.Update(ref.Obj, func(l *domain.Life) { l.Escaped = true })
		return domain.Value{}
	default:
		return domain.Value{}
	}
	o := r.object(i, -1, domain.Loaded)
	if s.Held(o) {
		s.Forget(o)
	}
	s.Life.Set(o, domain.Life{})
	if o != ref.Obj { // else it is the next one of a list
		s.Mem.Set(cell, domain.Of(o))
	}
	return domain.Of(o)
}

// whole returns what the cells of a struct lead to.
func (r *run) whole(s *domain.State, cell domain.Cell) domain.Value {
	v := s.Mem.Get(cell)
	for c, w := range s.Mem.All() {
		if c.Obj == cell.Obj && len(c.Path) > len(cell.Path) && strings.HasPrefix(c.Path, cell.Path) {
			v = v.Join(w.As(domain.Inside))
		}
	}
	v.Fact = domain.Unknown
	return v
}

// unsteady reports whether path leads to one element or another.
func unsteady(path string) bool { return strings.Contains(path, "[]") }

// copyStruct runs an assignment of one struct variable to another, field by field. It reports whether i
// is one.
func (r *run) copyStruct(s *domain.State, i *ssa.Store) bool {
	load, ok := i.Val.(*ssa.UnOp)
	if _, isStruct := i.Val.Type().Underlying().(*types.Struct); !ok || !isStruct || load.Op != token.MUL {
		return false
	}
	from, ok := r.value(s, load.X).Single()
	to, known := r.value(s, i.Addr).Single()
	if !ok || !known || from.Obj.Kind != domain.Local || to.Obj.Kind != domain.Local || s.Life.Get(to.Obj).Escaped || to.Rel == domain.Part ||
		unsteady(to.Path) || from.Obj == to.Obj {
		return false
	}
	for _, c := range cells(s, to.Obj) {
		if strings.HasPrefix(c.Path, to.Path) {
			s.Mem.Delete(c)
		}
	}
	for _, c := range cells(s, from.Obj) {
		if strings.HasPrefix(c.Path, from.Path) {
			s.Mem.Set(domain.Cell{Obj: to.Obj, Path: to.Path + c.Path[len(from.Path):]}, s.Mem.Get(c))
		}
	}
	return true
}

// store writes v to the cell that addr is the address of.
func (r *run) store(s *domain.State, i ssa.Instruction, addr, v domain.Value) {
	ref, ok := addr.Single()
	if !ok {
		r.escape(s, v, i)
		return
	}
	o := ref.Obj
	if o.Kind != domain.Local {
		r.use(s, addr, i)
		r.dirty = r.dirty || o.Kind != domain.Acquired
	}
	cell := domain.Cell{Obj: o, Path: ref.Path}
	if unsteady(ref.Path) || ref.Rel == domain.Part || ref.Rel == domain.View {
		r.escape(s, v, i)
		return
	}
	for c := range s.Mem.All() { // the cells of a struct that is overwritten
		if c.Obj == o && len(c.Path) > len(cell.Path) && strings.HasPrefix(c.Path, cell.Path) {
			s.Mem.Delete(c)
			s.Stored.Delete(c)
		}
	}
	if o.Kind == domain.Acquired && !v.Mentions(o) {
		s.Drop(func(x domain.Ref) bool { return x == domain.Ref{Obj: o, Rel: domain.View, Path: ref.Path} })
	}
	s.Mem.Set(cell, v)
	if a, ok := o.Site.(*ssa.Alloc); ok && strings.HasPrefix(ref.Path, "[") && a.Comment != "varargs" {
		r.escape(s, v, i) // into a list
	}
	if o.Kind == domain.Local && !s.Life.Get(o).Escaped {
		return
	}
	s.Stored.Set(cell, i)
	if o.Kind == domain.Input && o.Param >= 0 && !(o.Param == 0 && r.fn.Signature.Recv() != nil) {
		for _, x := range s.Reach(v) {
			if x.Kind == domain.Acquired && s.Life.Get(x).Phase == domain.Live {
				s.Update(x, func(l *domain.Life) { l.Planted = i })
			}
		}
	}
	for _, x := range v.Refs {
		if s.Life.Get(x.Obj).Phase != domain.Released { // else it may be overwritten before the function ends
			r.escape(s, domain.Value{Refs: []domain.Ref{x}}, i)
		}
	}
}

// deferCall puts a call aside until the function returns.
func (r *run) deferCall(s *domain.State, i *ssa.Defer) {
	d := domain.Pending{Instr: i, Fun: r.value(s, i.Call.Value), Args: r.values(s, ir.Args(&i.Call))}
	for k, old := range s.Defers {
		if old.Instr != i {
			continue
		}
		// In a loop: what the calls before were given is released in the end, or it is not.
		for _, v := range append([]domain.Value{old.Fun}, old.Args...) {
			for _, o := range s.Reach(v) {
				s.Life.Set(o, domain.Life{Phase: domain.Gone})
			}
		}
		s.Defers = slices.Delete(slices.Clone(s.Defers), k, k+1)
		break
	}
	s.Defers = append(append([]domain.Pending(nil), s.Defers...), d)
}

// runDefers runs the calls that were put aside.
func (r *run) runDefers(s *domain.State) []*domain.State {
	states := []*domain.State{s}
	for len(states) > 0 && len(states[0].Defers) > 0 {
		var next []*domain.State
		for _, s := range states {
			n := len(s.Defers)
			if n == 0 {
				next = append(next, s)
				continue
			}
			d := s.Defers[n-1]
			s.Defers = s.Defers[:n-1]
			outer := r.deferred
			r.deferred = d.Instr
			next = append(next, r.call(s, nil, &d.Instr.Call, d.Fun, d.Args)...)
			r.deferred = outer
		}
		if states = distinct(next); len(states) > maxStates {
			r.tooMuch = true
			return nil
		}
	}
	return states
}

// distinct merges the states of one shape.
func distinct(states []*domain.State) []*domain.State {
	by := make(map[uint64]*domain.State)
	var all []*domain.State
	for _, s := range states {
		h := s.Shape()
		if old := by[h]; old != nil {
			old.Meet(s)
		} else {
			by[h] = s
			all = append(all, s)
		}
	}
	return all
}
