package rules

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/contract"
)

// moved reports the release of a slice as it was before an append that may have moved its content: what
// the append made never comes to the pool.
func (c *checker) moved(e contract.Event) bool {
	_, deferred := e.At.(*ssa.Defer)
	if !e.Ref.Old || e.Life.Grown == nil || sized(e.Ref.Obj.Call) || !deferred || e.By != e.At {
		return false // a release by hand may well be of the one that is not needed any more
	}
	c.report("OCT008", e.Ref.Obj, e.By, e.Life.Grown)
	return true
}

// sized reports whether c asks for a capacity that it has computed: then what is appended may well fit.
func sized(c *ssa.CallCommon) bool {
	if c == nil {
		return false
	}
	for _, a := range c.Args {
		if b, ok := a.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			if _, ok := a.(*ssa.Const); !ok {
				return true
			}
		}
	}
	return false
}
