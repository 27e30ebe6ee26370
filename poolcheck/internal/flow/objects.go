package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

type objectKey struct {
	site   ssa.Value
	in     *context
	part   string
	parent *object
	path   string
	age    int8
}

func (e *explorer) intern(k objectKey, fill func(*object)) *object {
	if o := e.objects[k]; o != nil {
		return o
	}
	o := &object{id: len(e.order), site: k.site, in: k.in, part: k.part, parent: k.parent, path: k.path, age: k.age}
	fill(o)
	e.objects[k] = o
	e.order = append(e.order, o)
	return o
}

// older returns the object of the round before.
func (e *explorer) older(o *object) *object {
	x := e.intern(objectKey{o.site, o.in, o.part, o.parent, o.path, 1}, func(*object) {})
	x.kind, x.at, x.names, x.typ, x.acq, x.lent, x.from, x.taken, x.message = o.kind, o.at, o.names, o.typ, o.acq, o.lent, o.from, o.taken, o.message
	x.source = o.source
	return x
}

func (e *explorer) registerID(r ssa.Value) int {
	id, ok := e.ids[r]
	if !ok {
		id = len(e.ids)
		e.ids[r] = id
	}
	return id
}

// value returns what a register, constant or input holds.
func (e *explorer) value(s *state, r ssa.Value) value {
	switch r := r.(type) {
	case *ssa.Const:
		return value{known: constantOf(r)}
	case *ssa.Builtin:
		return value{}
	case *ssa.Global:
		return to(e.intern(objectKey{site: r}, func(o *object) {
			o.kind, o.typ = globalObject, r.Type()
			o.call(nil, r.Name())
		}))
	case *ssa.Function:
		return to(e.intern(objectKey{site: r}, func(o *object) { o.kind = globalObject }))
	}
	if v, ok := s.env[r]; ok {
		return v
	}
	return to(e.site(r))
}

// site returns the object that the instruction or input r stands for.
func (e *explorer) site(r ssa.Value) *object {
	return e.intern(objectKey{site: r, in: e.in}, func(o *object) {
		o.typ, o.at = r.Type(), e.made(r)
		o.call(e.in, e.names.of(r))
		switch r := r.(type) {
		case *ssa.Parameter:
			o.kind, o.nonNil = inputObject, isReceiver(r) && !comparedWithNil(r)
		case *ssa.FreeVar:
			o.kind = inputObject
		case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeClosure, *ssa.MakeSlice:
			o.kind = localObject
		}
	})
}

// isReceiver reports whether r is the receiver of a method, a pointer.
func isReceiver(r *ssa.Parameter) bool {
	fn := r.Parent()
	return fn.Signature.Recv() != nil && fn.Params[0] == r && elemOfPointer(r.Type()) != nil
}

// comparedWithNil reports whether the function of r asks whether it is nil.
func comparedWithNil(r *ssa.Parameter) bool {
	return slices.ContainsFunc(*r.Referrers(), func(use ssa.Instruction) bool {
		b, ok := use.(*ssa.BinOp)
		return ok && (isEmpty(b.X) || isEmpty(b.Y))
	})
}

// fresh returns the object of r as new: an instance of the round before is
// told apart.
func (e *explorer) fresh(sh *shape, s *state, r ssa.Value, part string) *object {
	o := e.site(r)
	if part != "" {
		base := o
		o = e.intern(objectKey{site: r, in: e.in, part: part}, func(o *object) {
			o.kind, o.at, o.names = base.kind, base.at, base.names
		})
	}
	e.renew(sh, s, o)
	return o
}

func (e *explorer) renew(sh *shape, s *state, o *object) {
	if sh == nil || o.age > 0 {
		return
	}
	instr, ok := o.site.(ssa.Instruction)
	if !ok || !sh.loops[instr.Block().Index] && (e.in == nil || !e.in.loop) {
		return
	}
	older := e.older(o)
	if s.lost(older, s.status[older]) && !s.leadsTo(older) {
		e.leak(s, older, o.at.inItsLoop())
	}
	s.age(o, older)
	e.ageContents(s, o, older)
}

// ageContents does for what was found inside of o what age did for o.
func (e *explorer) ageContents(s *state, o, older *object) {
	for _, x := range slices.Clone(e.order) {
		if x.kind == contentObject && x.parent == o {
			y := e.content(older, x.path, x.typ)
			y.at, y.taken, y.message, y.source = x.at, x.taken, x.message, x.source
			s.age(x, y)
			e.ageContents(s, x, y)
		}
	}
}
