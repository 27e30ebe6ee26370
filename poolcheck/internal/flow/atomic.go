package flow

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Atomics are cells like others, since a path is one goroutine's. What is known
// of a count or a flag tells which release is the last, and which Close the first.

// maxCount is how far known counts go, so that loops end.
const maxCount = 16

// atomic applies an operation on the atomic that the first argument points to.
func (e *explorer) atomic(sh *shape, s *state, op api.Op, c *call, reg ssa.Value) []returned {
	e.touch(s, c.args[0], c.at)
	arg := func(i int) value {
		if i < len(c.args) {
			return c.args[i]
		}
		return value{}
	}
	if len(c.args[0].refs) != 1 || c.args[0].refs[0].rel >= view {
		for _, a := range c.args[1:] {
			e.surrender(s, a, nil)
		}
		return []returned{{s, e.fill(s, reg, nil)}}
	}
	if o := c.args[0].refs[0].obj; op == api.AtomicAdd && o.taken {
		s.update(o, func(st *status) { st.owned = false }) // it counts references
	}
	held := e.atomicValue(s, c, reg)
	put := func(s *state, v value) { e.store(s, c.args[0], v, c.at) }
	switch op {
	case api.AtomicLoad:
		return []returned{{s, held}}
	case api.AtomicStore:
		put(s, arg(1))
		return []returned{{s, value{}}}
	case api.AtomicSwap:
		put(s, arg(1))
		return []returned{{s, held}}
	case api.AtomicAdd:
		sum := value{known: arithmetic(token.ADD, s.knownOf(held), s.knownOf(arg(1)))}
		if sum.known.kind == anything {
			sum = e.fill(s, reg, nil)
		}
		put(s, sum)
		return []returned{{s, sum}}
	}
	// CompareAndSwap
	same := compare(token.EQL, s.knownOf(held), s.knownOf(arg(1)))
	var out []returned
	if same != knownTrue {
		failed := s
		if same != knownFalse {
			failed = s.copy()
		}
		out = append(out, returned{failed, value{known: knownFalse}})
	}
	if same != knownFalse {
		put(s, arg(2))
		out = append(out, returned{s, value{known: knownTrue}})
	}
	return out
}

// atomicValue returns what the atomic holds.
func (e *explorer) atomicValue(s *state, c *call, reg ssa.Value) value {
	x := c.args[0].refs[0]
	t := types.Type(types.Typ[types.Int])
	if elem := elemOfPointer(c.regs[0].Type()); elem != nil {
		t = elem
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync/atomic" {
		t = types.Typ[types.Int]
		switch {
		case n.Obj().Name() == "Bool":
			t = types.Typ[types.Bool]
		case n.TypeArgs().Len() == 1:
			t = types.NewPointer(n.TypeArgs().At(0))
		case n.Obj().Name() == "Value":
			t = types.NewInterfaceType(nil, nil)
		}
	}
	if reg == nil {
		reg = c.regs[0] // the call is deferred
	}
	return e.loadCell(s, cell{x.obj, x.path}, t, reg)
}

// once runs the second argument unless the sync.Once that the first one points to
// has run a function. Then it writes to the sync.Once, which must not have gone back to a
// pool with what it is a part of.
func (e *explorer) once(s *state, c *call) []returned {
	v := c.args[0]
	if len(v.refs) == 1 && v.refs[0].rel < view {
		done := cell{v.refs[0].obj, v.refs[0].path + ".done"}
		if s.mem[done].known == knownTrue {
			return []returned{{s, value{}}}
		}
		s.mem[done] = value{known: knownTrue}
		s.stored[done] = true
	}
	ends := e.callArgument(s, c, 1)
	for _, r := range ends {
		e.touch(r.state, v, c.at)
	}
	return ends
}

// hasRun reports whether v in the cell c says that a sync.Once has run a function: it stays so.
func hasRun(c cell, v value) bool {
	return strings.HasSuffix(c.path, ".done") && v.known == knownTrue
}

// callArgument calls argument k of c, a function without parameters.
func (e *explorer) callArgument(s *state, c *call, k int) []returned {
	inner := &call{
		common: &ssa.CallCommon{Value: c.regs[k]}, fun: c.args[k], instr: c.instr, at: c.at, deferred: c.deferred,
	}
	e.bind(s, inner)
	if t := e.target(s, inner); t.fn != nil || t.obj != nil {
		return e.invokeTarget(nil, s, t, inner, nil)
	}
	e.surrender(s, c.args[k], nil)
	return []returned{{s, value{}}}
}

// arithmetic returns the sum or difference of two small numbers.
func arithmetic(op token.Token, x, y known) known {
	if x.kind != isConst || y.kind != isConst {
		return known{}
	}
	a, errA := strconv.ParseInt(x.val, 10, 64)
	b, errB := strconv.ParseInt(y.val, 10, 64)
	if errA != nil || errB != nil || op != token.ADD && op != token.SUB {
		return known{}
	}
	if op == token.SUB {
		b = -b
	}
	if a+b < -maxCount || a+b > maxCount {
		return known{}
	}
	return known{isConst, strconv.FormatInt(a+b, 10)}
}
