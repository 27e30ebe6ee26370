package paths

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// alloc makes a variable, or a value that new or a literal makes.
func (r *Run) alloc(s *domain.State, i *ssa.Alloc) domain.Value {
	o := r.Object(i, -1, domain.Local)
	if _, ok := s.Life.Lookup(o); ok && s.Held(o) {
		r.Lose(s, domain.Of(o)) // the one of the round before, which is not followed
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

func (r *Run) convert(s *domain.State, i *ssa.Convert) domain.Value {
	v := r.Value(s, i.X)
	_, fromSlice := i.X.Type().Underlying().(*types.Slice)
	_, toSlice := i.Type().Underlying().(*types.Slice)
	if fromSlice != toSlice { // a copy
		r.Use(s, v, i)
		return domain.Value{}
	}
	return v
}

// slice returns what x[low:high:max] leads to.
func (r *Run) slice(s *domain.State, i *ssa.Slice) domain.Value {
	v := r.Value(s, i.X)
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
func (r *Run) load(s *domain.State, i *ssa.UnOp) domain.Value {
	if _, ok := i.X.(*ssa.Global); ok && ir.IsError(i.Type()) {
		return domain.Value{Fact: domain.NonNil} // such as io.EOF
	}
	addr := r.Value(s, i.X)
	ref, ok := addr.Single()
	if !ok {
		return domain.Value{}
	}
	if ref.Rel == domain.Part || ref.Rel == domain.View { // an element of pooled memory, whose content is not followed
		r.Use(s, addr, i)
		return domain.Value{}
	}
	if ref.Obj.Kind != domain.Local {
		r.Use(s, addr, i)
	}
	cell := domain.Cell{Obj: ref.Obj, Path: ref.Path}
	t := i.Type()
	if ref.Obj.Kind == domain.Local && unsteady(ref.Path) { // any of the elements
		for _, c := range Cells(s, ref.Obj) {
			r.Lose(s, s.Mem.Get(c))
		}
	}
	if _, ok := t.Underlying().(*types.Struct); ok {
		if ref.Obj.Kind == domain.Acquired && ref.Rel == domain.Whole {
			s.Update(ref.Obj, func(l *domain.Life) { l.Escaped = true }) // with what it holds
		}
		v := r.whole(s, cell)
		if beside(s, v, i) {
			return domain.Value{}
		}
		if len(v.Refs) > 0 || ref.Obj.Kind != domain.Input {
			return v
		}
	}
	if v, ok := s.Mem.Lookup(cell); ok {
		return v
	}
	// Nothing has written to the cell since the object is known. From here on it is decided what is there.
	if ref.Obj.Kind == domain.Local && ir.Carries(t) {
		for _, c := range Cells(s, ref.Obj) { // a struct that was assigned as a whole
			if !strings.HasPrefix(ref.Path, c.Path) {
				continue
			}
			if v := s.Mem.Get(c); !beside(s, v, i) {
				return domain.Value{Refs: v.Refs}
			}
			return domain.Value{}
		}
	}
	if !ir.Carries(t) || ref.Obj.Kind == domain.Local && !s.Life.Get(ref.Obj).Escaped || unsteady(ref.Path) {
		return domain.Value{}
	}
	if ref.Obj.Kind == domain.Acquired && ir.IsList(t) {
		if ref.Path == "" {
			return domain.Value{Refs: []domain.Ref{{Obj: ref.Obj, Path: "*"}}}
		}
		if fa, ok := i.X.(*ssa.FieldAddr); ok && r.Replaced(ir.Field(fa)) {
			return domain.Value{} // nobody writes to this list: another one takes its place
		}
		return domain.Value{Refs: []domain.Ref{{Obj: ref.Obj, Rel: domain.View, Path: ref.Path}}}
	}
	if fa, ok := i.X.(*ssa.FieldAddr); ok && ref.Obj.Kind == domain.Acquired && r.HasOwn(ir.Field(fa)) {
		return domain.Value{Refs: []domain.Ref{{Obj: ref.Obj, Rel: domain.View, Path: ref.Path}}}
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Interface, *types.Struct:
	case *types.Signature: // a method of it, which may release it
		s.Update(ref.Obj, func(l *domain.Life) { l.Escaped = true })
		return domain.Value{}
	default:
		return domain.Value{}
	}
	// Something of the caller's, which is the same as long as nobody writes to the cell: a second load finds it there.
	o := r.Object(i, -1, domain.Loaded)
	if s.Held(o) {
		s.Forget(o)
	}
	s.Life.Set(o, domain.Life{})
	if o != ref.Obj { // else it is the next one of a list
		s.Mem.Set(cell, domain.Of(o))
	}
	return domain.Of(o)
}

// beside reports whether what released v, a parameter that is a struct, was given one of its fields, as its last argument, and
// load reads something else.
//
// Fixture: alike/fields.go.
func beside(s *domain.State, v domain.Value, load ssa.Value) bool {
	ref, _ := v.Single()
	call, ok := s.Life.Get(ref.Obj).By.(ssa.CallInstruction)
	if !ok || len(ir.Args(call.Common())) == 0 {
		return false
	}
	args := ir.Args(call.Common())
	param, path := ir.Origin(load)
	given, field := ir.Origin(args[len(args)-1])
	return given != nil && given == param && !strings.HasPrefix(path, field)
}

// Content returns what the variable v is the address of has, if that was assigned as a whole, as a decoder is; or
// else v.
func (r *Run) Content(s *domain.State, v domain.Value) domain.Value {
	if ref, ok := v.Single(); ok && ref.Obj.Kind == domain.Local {
		if held := s.Mem.Get(domain.Cell{Obj: ref.Obj, Path: ref.Path}); len(held.Refs) > 0 {
			return held
		}
	}
	return v
}

// whole returns what the cells of a struct lead to.
func (r *Run) whole(s *domain.State, cell domain.Cell) domain.Value {
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
func (r *Run) copyStruct(s *domain.State, i *ssa.Store) bool {
	load, ok := i.Val.(*ssa.UnOp)
	if _, isStruct := i.Val.Type().Underlying().(*types.Struct); !ok || !isStruct || load.Op != token.MUL {
		return false
	}
	from, ok := r.Value(s, load.X).Single()
	to, known := r.Value(s, i.Addr).Single()
	if !ok || !known || from.Obj.Kind != domain.Local || to.Obj.Kind != domain.Local || s.Life.Get(to.Obj).Escaped || to.Rel == domain.Part ||
		unsteady(to.Path) || from.Obj == to.Obj {
		return false
	}
	for _, c := range Cells(s, to.Obj) {
		if strings.HasPrefix(c.Path, to.Path) {
			s.Mem.Delete(c)
		}
	}
	for _, c := range Cells(s, from.Obj) {
		if strings.HasPrefix(c.Path, from.Path) {
			s.Mem.Set(domain.Cell{Obj: to.Obj, Path: to.Path + c.Path[len(from.Path):]}, s.Mem.Get(c))
		}
	}
	return true
}

// store writes v to the cell that addr is the address of.
func (r *Run) store(s *domain.State, i ssa.Instruction, addr, v domain.Value) {
	ref, ok := addr.Single()
	if !ok { // it may be anybody's
		r.Escape(s, v, i)
		return
	}
	o := ref.Obj
	if o.Kind != domain.Local {
		r.Use(s, addr, i)
		r.Dirty = r.Dirty || o.Kind != domain.Acquired
	}
	cell := domain.Cell{Obj: o, Path: ref.Path}
	if unsteady(ref.Path) || ref.Rel == domain.Part || ref.Rel == domain.View {
		r.Keep(s, v, i)
		return
	}
	for c := range s.Mem.All() { // the cells of a struct that is overwritten
		if c.Obj == o && len(c.Path) > len(cell.Path) && strings.HasPrefix(c.Path, cell.Path) {
			s.Mem.Delete(c)
			s.Stored.Delete(c)
		}
	}
	if o.Kind == domain.Acquired && !v.Mentions(o) {
		// What was read out of the field before shows what it had, and not the memory any more.
		s.Drop(func(x domain.Ref) bool { return x == domain.Ref{Obj: o, Rel: domain.View, Path: ref.Path} })
	}
	s.Mem.Set(cell, v)
	if a, ok := o.Site.(*ssa.Alloc); ok && strings.HasPrefix(ref.Path, "[") && a.Comment != "varargs" {
		r.Keep(s, v, i) // into a list
	}
	if o.Kind == domain.Local && !s.Life.Get(o).Escaped {
		return
	}
	s.Stored.Set(cell, i)
	// A field of a struct of the caller, other than the receiver, which may be a place to keep memory until a Close.
	if o.Kind == domain.Input && o.Param >= 0 && !(o.Param == 0 && r.fn.Signature.Recv() != nil) {
		for _, x := range s.Reach(v) {
			if x.Kind == domain.Acquired && s.Life.Get(x).Phase == domain.Live {
				s.Update(x, func(l *domain.Life) { l.Planted = i })
			}
		}
	}
	for _, x := range v.Refs {
		if s.Life.Get(x.Obj).Phase != domain.Released { // else it may be overwritten before the function ends
			if x := (domain.Value{Refs: []domain.Ref{x}}); o.Kind == domain.Local {
				r.Keep(s, x, i) // somebody has the struct already
			} else {
				r.Escape(s, x, i)
			}
		}
	}
}

// Clobber forgets what memory holds that unknown code can write to.
func (r *Run) Clobber(s *domain.State) {
	r.Dirty = true
	for c := range s.Mem.All() {
		if c.Obj.Kind != domain.Local || s.Life.Get(c.Obj).Escaped {
			s.Mem.Delete(c)
			s.Stored.Delete(c)
		}
	}
}

// Overwrite forgets what the cells of v hold, which unknown code has been given.
func (r *Run) Overwrite(s *domain.State, v domain.Value) {
	for _, o := range s.Reach(v) {
		r.Dirty = r.Dirty || o.Kind != domain.Local
		if o.Kind == domain.Local && !s.Life.Get(o).Escaped {
			continue
		}
		for _, c := range Cells(s, o) {
			s.Mem.Delete(c)
			s.Stored.Delete(c)
		}
	}
}

// Cells returns the cells of o, in the order of their paths.
func Cells(s *domain.State, o *domain.Object) []domain.Cell {
	var all []domain.Cell
	for c := range s.Mem.All() {
		if c.Obj == o {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b domain.Cell) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Closure returns the function literal that o is, nil if it is none.
func Closure(o *domain.Object) *ssa.Function {
	if mc, ok := o.Site.(*ssa.MakeClosure); ok {
		return mc.Fn.(*ssa.Function)
	}
	return nil
}

// Variable reports whether o is a variable of the function, not what new or a literal makes.
func Variable(o *domain.Object) bool {
	a, ok := o.Site.(*ssa.Alloc)
	return ok && a.Comment != "new" && a.Comment != "complit" && a.Comment != "varargs"
}

// assigned reports whether code that captures the variable v may assign to it.
func assigned(v ssa.Value) bool {
	for _, use := range *v.Referrers() {
		switch i := use.(type) {
		case *ssa.UnOp:
		case *ssa.MakeClosure:
			for k, b := range i.Bindings {
				if b == v && assigned(i.Fn.(*ssa.Function).FreeVars[k]) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}
