package flow

import (
	"go/constant"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// builtin applies a call of a builtin function.
func (e *explorer) builtin(sh *shape, s *state, name string, c *call, reg ssa.Value) value {
	arg := func(i int) value {
		if i < len(c.args) {
			return c.args[i]
		}
		return value{}
	}
	switch name {
	case "append":
		return e.appended(sh, s, c, reg)
	case "copy":
		e.touch(s, arg(0), c.at)
		e.touch(s, arg(1), c.at)
		e.copied(s, c)
	case "clear":
		e.touch(s, arg(0), c.at)
		e.written(s, arg(0))
		for _, x := range arg(0).refs {
			s.update(x.obj, func(st *status) { st.each = nowhere })
		}
		e.deleted(s, c)
	case "delete":
		e.deleted(s, c)
		e.takeOut(s, c)
	case "String", "StringData", "SliceData", "Slice", "Add":
		r := view
		if name == "SliceData" || name == "Add" || name == "Slice" {
			r = whole
		}
		return value{refs: arg(0).weaken(r, nowhere)}
	case "len":
		if n := lengthOf(arg(0)); n >= 0 {
			return value{known: known{isConst, strconv.FormatInt(n, 10)}}
		}
	case "recover":
		return value{known: knownNil}
	case "ssa:wrapnilchk":
		return arg(0)
	case "close":
		e.send(s, arg(0), value{}, c.at)
	}
	return value{}
}

// lengthOf returns the length of a list of arguments or a slice literal, -1 if v is
// something else.
func lengthOf(v value) int64 {
	if v.known.kind == isNil {
		return 0
	}
	if len(v.refs) == 1 && !v.refs[0].cut && v.refs[0].path == "" && v.refs[0].rel == whole {
		if a, ok := v.refs[0].obj.site.(*ssa.Alloc); ok && (a.Comment == "varargs" || a.Comment == "slicelit") {
			return a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
		}
	}
	return -1
}

// deleted forgets what the maps of the first argument's type show: which entry is
// deleted is not known.
func (e *explorer) deleted(s *state, c *call) {
	t := c.regs[0].Type()
	if _, ok := t.Underlying().(*types.Map); !ok {
		return
	}
	for o, st := range s.status {
		if len(st.escapes) > 0 {
			s.update(o, func(st *status) {
				st.escapes = slices.DeleteFunc(slices.Clone(st.escapes), func(x escape) bool {
					return x.into != nil && x.into.typ != nil && types.Identical(x.into.typ, t)
				})
			})
		}
	}
	if o := c.args[0].identity(); o != nil && o.kind == localObject {
		delete(s.mem, cell{o, "[]"})
	}
}

// appended applies the builtin append. Its result shows its first argument's
// memory, unless that had no room.
func (e *explorer) appended(sh *shape, s *state, c *call, reg ssa.Value) value {
	dst, src := c.args[0], value{}
	if len(c.args) > 1 {
		src = c.args[1]
	}
	if reg == nil {
		return value{}
	}
	e.touch(s, dst, c.at)
	if isBytes(reg.Type()) {
		e.touch(s, src, c.at)
		if dst.known.kind == isNil || len(dst.refs) == 0 {
			return to(e.site(reg))
		}
		out := value{refs: dst.weaken(whole, nowhere)}
		for i := range out.refs {
			out.refs[i].cut = true
		}
		return out
	}
	// A slice of slices, strings or structs: its elements are held.
	elems := src
	if o := src.identity(); o != nil {
		if a, ok := o.site.(*ssa.Alloc); ok && a.Comment == "varargs" {
			elems = value{}
			for _, p := range s.cells(o) {
				elems = elems.join(s.mem[cell{o, p}].weaken(holds, c.at))
			}
		} else if o.kind == localObject {
			for _, p := range s.cells(o) {
				elems = elems.join(s.mem[cell{o, p}].weaken(holds, c.at))
			}
		}
	}
	own := e.site(reg)
	out := to(own)
	for _, x := range dst.all() {
		x.rel = max(x.rel, view)
		if x.obj != own && x.obj != e.older(own) {
			out = out.join([]ref{x})
		}
	}
	if !carries(elemOf(reg.Type())) {
		return out
	}
	e.inherit(s, own, dst.identity())
	e.enlist(s, own, elems.all())
	if o := src.identity(); o != nil && o.isList() {
		s.update(o, (*status).share)
	}
	held := elems.weaken(holds, c.at)
	for _, x := range held {
		if x.obj != e.site(reg) && (x.obj.acq != nil || inBox(x.obj)) {
			s.handOver(x.obj)
		}
		e.captured(s, x.obj)
	}
	return out.join(held)
}

// captured marks what a closure, or a struct, that is kept in a slice may release.
func (e *explorer) captured(s *state, o *object) {
	if o.kind == localObject {
		e.eachReached(s, to(o), func(r ref) { s.handOver(r.obj) })
	}
}

func elemOf(t types.Type) types.Type {
	if sl, ok := t.Underlying().(*types.Slice); ok {
		return sl.Elem()
	}
	return t
}

// copied notes what the builtin copy writes.
func (e *explorer) copied(s *state, c *call) {
	for _, x := range c.args[0].refs {
		st := s.status[x.obj]
		if st.fill == clean {
			continue
		}
		if !x.cut && x.rel == whole && x.obj.acq != nil && shorter(c.regs[1], x.obj.acq.size) {
			s.update(x.obj, func(st *status) { st.fill = partial })
			continue
		}
		e.written(s, c.args[0])
	}
}

// shorter reports whether src, the source of a copy, most likely has less than
// size bytes: it is known to, or it is text. Bytes may well be a key or digest
// of that length.
func shorter(src ssa.Value, size int64) bool {
	if size == 0 {
		return false
	}
	if k, ok := src.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
		return int64(len(constant.StringVal(k.Value))) < size
	}
	if sl, ok := src.(*ssa.Slice); ok {
		if p, ok := sl.X.Type().Underlying().(*types.Pointer); ok && sl.Low == nil && sl.High == nil {
			a, ok := p.Elem().Underlying().(*types.Array)
			return ok && a.Len() < size
		}
	}
	return !isBytes(src.Type()) && !measured(src)
}

// measured reports whether the length of v is compared with anything.
func measured(v ssa.Value) bool {
	for _, instr := range *v.Referrers() {
		call, ok := instr.(*ssa.Call)
		if !ok || !isBuiltinCall(call, "len") {
			continue
		}
		for _, use := range *call.Referrers() {
			if _, ok := use.(*ssa.BinOp); ok {
				return true
			}
		}
	}
	return false
}
