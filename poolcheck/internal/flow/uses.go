package flow

import (
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"
)

// uses are the places where the package reads fields and variables, and where it calls its
// functions.
type uses struct {
	of      map[types.Object][]ssa.Value
	globals map[*ssa.Global][]ssa.Instruction
	calls   map[*ssa.Function][]ssa.CallInstruction
	pooled  map[*types.Var]bool // fields of what is pooled itself
}

// uses returns the uses, which it collects when it is first called.
func (p *Package) usesOf() *uses {
	if p.index != nil {
		return p.index
	}
	u := &uses{
		of: make(map[types.Object][]ssa.Value), globals: make(map[*ssa.Global][]ssa.Instruction),
		calls: make(map[*ssa.Function][]ssa.CallInstruction), pooled: make(map[*types.Var]bool),
	}
	p.index = u
	for _, fn := range p.all {
		for instr := range instructions(fn) {
			u.add(instr)
		}
	}
	for obj := range p.putTypes {
		u.pool(obj.Type(), make(map[types.Type]bool))
	}
	return u
}

func (u *uses) add(instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.FieldAddr:
		u.of[fieldOf(i)] = append(u.of[fieldOf(i)], i)
	case *ssa.Field:
		f := i.X.Type().Underlying().(*types.Struct).Field(i.Field).Origin()
		u.of[f] = append(u.of[f], i)
	case ssa.CallInstruction:
		if fn := i.Common().StaticCallee(); fn != nil {
			fn = origin(fn)
			u.calls[fn] = append(u.calls[fn], i)
		}
	}
	for _, op := range instr.Operands(nil) {
		if g, ok := (*op).(*ssa.Global); ok {
			if len(u.globals[g]) == 0 {
				u.of[g.Object()] = append(u.of[g.Object()], g)
			}
			u.globals[g] = append(u.globals[g], instr)
		}
	}
}

// pool notes the fields of t, and of what it leads to.
func (u *uses) pool(t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch x := t.Underlying().(type) {
	case *types.Pointer:
		u.pool(x.Elem(), seen)
	case *types.Slice:
		u.pool(x.Elem(), seen)
	case *types.Array:
		u.pool(x.Elem(), seen)
	case *types.Struct:
		for f := range x.Fields() {
			u.pooled[f.Origin()] = true
			u.pool(f.Type(), seen)
		}
	}
}

// pooledField reports whether v is a field of something that goes into a pool, with what it
// holds.
func (p *Package) pooledField(v *types.Var) bool { return v.IsField() && p.usesOf().pooled[v] }

// callees returns fn and the functions of its package that it calls, and those that they call.
func callees(fn *ssa.Function) map[*ssa.Function]bool {
	seen := make(map[*ssa.Function]bool)
	var walk func(f *ssa.Function)
	walk = func(f *ssa.Function) {
		if f == nil || f.Pkg != fn.Pkg || seen[f] {
			return
		}
		seen[f] = true
		for _, lit := range f.AnonFuncs {
			walk(lit)
		}
		for instr := range instructions(f) {
			if call, ok := instr.(ssa.CallInstruction); ok {
				walk(call.Common().StaticCallee())
			}
		}
	}
	walk(fn)
	return seen
}

// somewhere reports whether is returns true for an instruction of fn, or of a function that it
// calls.
func somewhere(fn *ssa.Function, is func(ssa.Instruction) bool) bool {
	for callee := range callees(fn) {
		if does(callee, is) {
			return true
		}
	}
	return false
}

// mentions reports whether fn, or a function that it calls, has to do with the field f: if read
// is set, more than to store something there.
func mentions(fn *ssa.Function, f types.Object, read bool) bool {
	return somewhere(fn, func(instr ssa.Instruction) bool {
		fa, ok := instr.(*ssa.FieldAddr)
		return ok && fieldOf(fa) == f && (!read || isRead(fa))
	})
}

// instructions yields the instructions of fn.
func instructions(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

// loaded returns the address that v was loaded from, nil if it is something else.
func loaded(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		return load.X
	}
	return nil
}

// origin returns the function that fn is an instance of, fn itself if it is not generic.
func origin(fn *ssa.Function) *ssa.Function {
	if generic := fn.Origin(); generic != nil {
		return generic
	}
	return fn
}

// does reports whether is returns true for an instruction of fn.
func does(fn *ssa.Function, is func(ssa.Instruction) bool) bool {
	for instr := range instructions(fn) {
		if is(instr) {
			return true
		}
	}
	return false
}
