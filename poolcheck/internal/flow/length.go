package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A slice of a sync.Pool remembers its length. If those who get one fill it as it is, one
// that comes back shorter stays shorter.

// shortened reports whether r is a slice that was cut to nothing, or to a count that a
// call returned. Other lengths may well be that of the pool's slices.
func shortened(r ssa.Value) bool {
	cut, ok := r.(*ssa.Slice)
	if !ok || cut.High == nil || !isBytes(r.Type()) {
		return false
	}
	switch n := cut.High.(type) {
	case *ssa.Const:
		return n.Int64() == 0
	case *ssa.Extract:
		_, counted := n.Tuple.(*ssa.Call)
		return counted
	}
	return false
}

// lengthUsed reports whether some slice of bytes that was taken from the pool is filled,
// or indexed, as long as it is.
func (p *pool) lengthUsed() bool {
	for _, get := range p.gets {
		for _, use := range *get.Referrers() {
			ta, ok := use.(*ssa.TypeAssert)
			if !ok || !isBytes(ta.AssertedType) {
				continue
			}
			for _, use := range *ta.Referrers() {
				if fillsAll(use, ta) {
					return true
				}
			}
		}
	}
	return false
}

// fillsAll reports whether an instruction fills the slice b up to its length.
func fillsAll(use ssa.Instruction, b ssa.Value) bool {
	call, ok := use.(ssa.CallInstruction)
	if !ok {
		return false
	}
	cc := call.Common()
	if bi, ok := cc.Value.(*ssa.Builtin); ok {
		return bi.Name() == "copy" && cc.Args[0] == b
	}
	switch calleeName(call) {
	case "Read", "ReadAt", "ReadFull", "ReadFrom", "ReadFromUDP", "ReadFromUDPAddrPort":
		sig := cc.Signature()
		return sig.Results().Len() > 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.Int])
	}
	return false
}
