package poolcheck

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// neverReset reports the Gets of those pools of the package whose objects
// nobody empties: the second user finds what the first one has written. It
// looks only at pools that no other package can see, and at objects that are
// given to no code but the standard library's.
func neverReset(pkg *ssa.Package, fns []*ssa.Function, names *flow.Names) []*flow.Report {
	uses := make(map[*ssa.Global][]*ssa.Function)
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					g, ok := (*op).(*ssa.Global)
					if ok && g.Pkg == pkg && isPool(g.Type()) && !token.IsExported(g.Name()) && fn.Name() != "init" {
						uses[g] = append(uses[g], fn)
					}
				}
			}
		}
	}
	var reports []*flow.Report
	for g, users := range uses {
		var gets []*ssa.TypeAssert
		clean, put := false, false
		for _, fn := range users {
			clean = clean || empties(fn)
			for _, call := range callsOf(fn, g) {
				if call.Common().StaticCallee().Name() == "Put" {
					put = true
					continue
				}
				if v, ok := call.(*ssa.Call); ok {
					for _, r := range *v.Referrers() {
						if ta, ok := r.(*ssa.TypeAssert); ok && !ta.CommaOk {
							gets = append(gets, ta)
						}
					}
				}
			}
		}
		if clean || !put {
			continue
		}
		for _, ta := range gets {
			if appendsOn(ta) {
				call := ta.X.(*ssa.Call)
				reports = append(reports, &flow.Report{Code: flow.DirtyReuse, Pos: call.Pos(), Name: names.Of(call)})
			}
		}
	}
	slices.SortFunc(reports, func(a, b *flow.Report) int { return int(a.Pos - b.Pos) })
	return reports
}

func isPool(t types.Type) bool {
	for range 2 {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
	}
	return t.String() == "sync.Pool"
}

// callsOf returns the calls of the methods of the pool g in fn.
func callsOf(fn *ssa.Function, g *ssa.Global) []ssa.CallInstruction {
	var calls []ssa.CallInstruction
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if ok && call.Common().StaticCallee() != nil && len(call.Common().Args) > 0 && call.Common().Args[0] == g {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// empties reports whether something in fn may empty a buffer or cut a slice.
func empties(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Slice:
				return true
			case ssa.CallInstruction:
				if f := i.Common().StaticCallee(); f != nil {
					switch f.Name() {
					case "Reset", "Truncate", "WriteTo", "Next":
						return true
					}
				}
			}
		}
	}
	return false
}

// appendsOn reports whether something is appended to what the pooled object v holds,
// and whether nothing but the standard library sees v.
func appendsOn(v *ssa.TypeAssert) bool {
	switch v.AssertedType.String() {
	case "*bytes.Buffer":
		return bufferAppendsOn(v)
	case "*[]byte":
		for _, r := range *v.Referrers() {
			load, ok := r.(*ssa.UnOp)
			if !ok || load.Op != token.MUL {
				continue
			}
			for _, use := range *load.Referrers() {
				call, ok := use.(*ssa.Call)
				if ok && call.Call.Args[0] == load && isBuiltin(call, "append") {
					return true
				}
			}
		}
	}
	return false
}

func isBuiltin(call *ssa.Call, name string) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == name
}

func bufferAppendsOn(v *ssa.TypeAssert) bool {
	writes, reads := false, false
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.MakeInterface:
			// As an io.Writer it is written to; as anything else it may be
			// read and so emptied, except by the pool.
			switch r.Type().String() {
			case "io.Writer":
				writes = true
			case "any", "interface{}":
				for _, use := range *r.Referrers() {
					call, ok := use.(ssa.CallInstruction)
					if !ok || call.Common().StaticCallee() == nil || call.Common().StaticCallee().Name() != "Put" {
						return false
					}
				}
			default:
				return false
			}
		case ssa.CallInstruction:
			f := r.Common().StaticCallee()
			if f == nil || f.Pkg == nil || f.Pkg.Pkg.Path() != "bytes" {
				return false
			}
			switch f.Name() {
			case "Write", "WriteString", "WriteByte", "WriteRune", "ReadFrom":
				writes = true
			case "Bytes", "String":
				reads = true
			case "Len", "Cap", "Grow":
			default:
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return writes && reads
}
