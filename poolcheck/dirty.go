package poolcheck

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// neverReset reports the Gets of those pools of the package whose objects
// nobody empties: the second user finds what the first one has written. It
// looks only at pools that no other package can see, and at objects that are
// given to no code but the package's own and the standard library's.
func neverReset(pkg *ssa.Package, fns []*ssa.Function, names *flow.Names) []*flow.Report {
	uses := make(map[*ssa.Global][]*ssa.Function)
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					g, ok := (*op).(*ssa.Global)
					if ok && g.Pkg == pkg && isPool(g.Type()) && !token.IsExported(g.Name()) && fn.Name() != "init" && !slices.Contains(uses[g], fn) {
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
				reports = append(reports, &flow.Report{Code: flow.DirtyReuse, Why: flow.NeverReset, Pos: call.Pos(), Name: names.Of(call)})
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
				if i.Type().String() == "[]byte" {
					return true
				}
			case ssa.CallInstruction:
				if f := i.Common().StaticCallee(); f != nil {
					switch f.Name() {
					case "Reset", "Truncate", "Next":
						return true
					case "WriteTo":
						if !writesUnasked(i) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// writesUnasked reports whether the call of WriteTo ignores the error of a writer that may
// fail: then what was not written stays in the buffer.
func writesUnasked(call ssa.CallInstruction) bool {
	if v := call.Value(); v != nil && len(*v.Referrers()) > 0 {
		return false
	}
	args := call.Common().Args
	switch w := args[len(args)-1].(type) {
	case *ssa.MakeInterface:
		return w.X.Type().String() != "*bytes.Buffer" && w.X.Type().String() != "*strings.Builder"
	case *ssa.ChangeInterface:
		return !strings.HasPrefix(w.X.Type().String(), "hash.")
	}
	return true
}

// appendsOn reports whether something is appended to what the pooled object v holds,
// and whether nothing but the package and the standard library sees v.
func appendsOn(v *ssa.TypeAssert) bool {
	switch v.AssertedType.String() {
	case "*bytes.Buffer":
		b := bufferUses{seen: make(map[ssa.Value]bool)}
		return b.follow(v) && b.writes && b.reads
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

// bufferUses says what is done with a buffer.
type bufferUses struct {
	writes, reads bool
	seen          map[ssa.Value]bool
}

// follow adds the uses of the buffer v. It returns false if one of them may empty v, or is
// not known.
func (b *bufferUses) follow(v ssa.Value) bool {
	if b.seen[v] {
		return true
	}
	b.seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.MakeInterface:
			// As an io.Writer it is written to; as anything else it may be
			// read and so emptied, except by the pool.
			switch r.Type().String() {
			case "io.Writer":
				b.writes = true
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
			if !b.call(v, r) {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// call adds what the call, which is given the buffer v, does with it.
func (b *bufferUses) call(v ssa.Value, call ssa.CallInstruction) bool {
	f := call.Common().StaticCallee()
	switch {
	case f == nil || f.Pkg == nil:
		return false
	case f.Pkg == call.Parent().Pkg:
		for k, a := range call.Common().Args {
			if a == v && (k >= len(f.Params) || !b.follow(f.Params[k])) {
				return false
			}
		}
		return true
	case f.Pkg.Pkg.Path() != "bytes":
		return false
	}
	switch f.Name() {
	case "Write", "WriteString", "WriteByte", "WriteRune", "ReadFrom":
		b.writes = true
	case "Bytes", "String":
		b.reads = true
	case "WriteTo":
		b.reads = true
		return writesUnasked(call)
	case "Len", "Cap", "Grow":
	default:
		return false
	}
	return true
}
