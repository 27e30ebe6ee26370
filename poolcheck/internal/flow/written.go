package flow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A slice from a pool shows what its last user wrote, until this one has written it.

// readWhole records that the memory of v is read to its end, wherever that is.
func (e *explorer) readWhole(s *state, v value, at place) {
	for _, x := range v.refs {
		st := s.status[x.obj]
		if st.fill != clean && !x.cut && x.rel == whole && x.path == "" && st.phase == live {
			e.report(s, DirtyReuse, x.obj, at, nowhere)
		}
	}
}

// written records that some of the memory of v may be written at pos.
func (e *explorer) written(s *state, v value) {
	for _, x := range v.all() {
		if s.status[x.obj].fill != clean {
			s.update(x.obj, func(st *status) { st.fill = clean })
		}
		if p := x.obj.parent; p != nil && s.status[p].fill != clean {
			s.update(p, func(st *status) { st.fill = clean })
		}
	}
}

// overwritten notes stores into a slice's elements.
func (e *explorer) overwritten(s *state, addr value, i *ssa.Store) {
	for _, x := range addr.refs {
		if s.status[x.obj].fill != clean {
			e.written(s, addr)
		}
	}
}

// readElement records that i may read an element of a slice. Where nothing was written,
// that is an old byte.
func (e *explorer) readElement(s *state, i *ssa.UnOp) {
	addr, ok := i.X.(*ssa.IndexAddr)
	if !ok || i.Op != token.MUL || !isBytes(addr.X.Type()) || !matters(i) {
		return
	}
	for _, x := range e.value(s, addr.X).refs {
		if st := s.status[x.obj]; st.fill == dirty && st.phase == live && x.rel <= part && x.path == "" {
			e.report(s, DirtyReuse, x.obj, e.at(i), nowhere)
		}
	}
}

// matters reports whether something is made of the byte r. One that nobody uses checks
// bounds, and one that is only given to a call touches the memory, as tests do.
func matters(r ssa.Value) bool {
	return slices.ContainsFunc(*r.Referrers(), func(use ssa.Instruction) bool {
		switch use.(type) {
		case *ssa.BinOp, *ssa.Convert, *ssa.Return, *ssa.Store:
			return true
		}
		return false
	})
}

// filled notes that a Read has filled argument k, a slice, up to a count. What a slice
// from a sync.Pool held before may be its content, until it is read into.
func (e *explorer) filled(s *state, c *call, k int, reg ssa.Value) {
	for _, x := range c.args[k].refs {
		plain := x.obj.acq != nil && x.obj.acq.family == api.SyncPool || inBox(x.obj) && x.obj.parent.acq.family == api.SyncPool
		if s.status[x.obj].fill == clean && !plain {
			continue
		}
		fill := partial
		if x.cut || x.rel != whole || reg == nil || countCompared(reg) || isRandom(c.regs[0]) {
			fill = clean
		}
		s.update(x.obj, func(st *status) { st.fill = fill })
	}
}

// countCompared reports whether the count that a Read returned is compared
// with anything but zero.
func countCompared(reg ssa.Value) bool {
	for _, instr := range *reg.Referrers() {
		x, ok := instr.(*ssa.Extract)
		if !ok || x.Index != 0 {
			continue
		}
		for _, use := range *x.Referrers() {
			b, ok := use.(*ssa.BinOp)
			if !ok {
				continue
			}
			if k, ok := b.Y.(*ssa.Const); !ok || k.Int64() != 0 {
				return true
			}
		}
	}
	return false
}

// isRandom reports whether r is the reader of crypto/rand, which fills what it is given.
func isRandom(r ssa.Value) bool {
	g, ok := loaded(r).(*ssa.Global)
	return ok && g.Pkg.Pkg.Path() == "crypto/rand"
}
