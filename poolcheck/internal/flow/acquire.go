package flow

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// acquire returns the memory that a call hands out.
func (e *explorer) acquire(sh *shape, s *state, row *api.Func, c *call, reg ssa.Value, k int) *object {
	o := e.result(reg, k)
	if o.acq == nil {
		o.kind = pooledObject
		o.acq = &acquisition{family: row.Family, pool: e.poolOfCall(row, c.common, o.typ), dirty: row.Dirty, call: c.common}
		o.acq.dirty = o.acq.dirty && !elementsStored(reg)
		if row.Dirty && row.Size >= 0 && row.Size < len(c.regs) {
			if k, constant := c.regs[row.Size].(*ssa.Const); constant {
				o.acq.size = k.Int64()
			}
		} else if row.Dirty {
			o.acq.size = -1
		}
		if row.Family == api.SyncPool {
			o.typ = assertedType(reg)
		}
	}
	if o.typ != nil {
		if _, channel := o.typ.Underlying().(*types.Chan); channel {
			s.status[o] = status{phase: gone} // made to be used by several
			return o
		}
	}
	st := status{phase: live, owned: true, origin: e.poolName(row, c)}
	if o.acq.dirty {
		st.fill = dirty
	}
	s.status[o] = st
	e.acquires = true
	return o
}

// elementsStored reports whether elements of the slice reg are stored one by
// one: whether a loop stores all of them is not known.
func elementsStored(reg ssa.Value) bool {
	for _, instr := range *reg.Referrers() {
		if ia, ok := instr.(*ssa.IndexAddr); ok {
			for _, use := range *ia.Referrers() {
				if _, ok := use.(*ssa.Store); ok {
					return true
				}
			}
		}
	}
	return false
}

// assertedType returns the type that the result of sync.Pool.Get is asserted
// to, nil if there is none.
func assertedType(reg ssa.Value) types.Type {
	for _, instr := range *reg.Referrers() {
		switch i := instr.(type) {
		case *ssa.TypeAssert:
			return i.AssertedType
		case *ssa.Phi:
			for _, use := range *i.Referrers() {
				if ta, ok := use.(*ssa.TypeAssert); ok {
					return ta.AssertedType
				}
			}
		}
	}
	return nil
}

// poolName names the pool of a call, "" if it is not known which.
func (e *explorer) poolName(row *api.Func, c *call) string {
	if row.Default {
		return "default"
	}
	if len(c.args) == 0 || c.common.Signature().Recv() == nil {
		return ""
	}
	v := c.args[0]
	if len(v.refs) != 1 || v.refs[0].rel != whole || strings.ContainsAny(v.refs[0].path, "[") {
		return ""
	}
	o := v.refs[0].obj
	if o.kind == inputObject && v.refs[0].path != "" {
		return fmt.Sprintf("%s%d%s", ofInput, o.id, v.refs[0].path)
	}
	g, ok := o.root().site.(*ssa.Global)
	if !ok || o.depth() > 1 || o.depth() == 1 && o.path != "" {
		return ""
	}
	if g.Name() == "DefaultCapacityPools" {
		return "default"
	}
	return g.String() + v.refs[0].path
}

// ofInput is the prefix of the names of pools that are fields of an input. Such a name means
// something only while one function is explored.
const ofInput = "input "

// global returns the name of a pool that means the same everywhere, "" for others.
func global(pool string) string {
	if strings.HasPrefix(pool, ofInput) {
		return ""
	}
	return pool
}

// otherPool reports whether a and b certainly name different pools. Fields of inputs may be
// one pool: the inputs may be the same struct.
func otherPool(a, b string) bool { return global(a) != "" && global(b) != "" && a != b }
