// Package ir answers questions to the SSA form of a package: which functions it has, what is
// called, what a value is called in the source, which values are needed, and which pool it is.
//
// # Map
//
//   - ir.go: functions, calls, and the order of blocks
//   - types.go: which types can lead to pooled memory, or count the references to them
//   - pools.go: which variable or field is the pool
//   - names.go: the variables that values were assigned to
package ir

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Functions returns the functions of the package in the order of its source, with the literals
// inside of each behind it.
func Functions(pkg *ssa.Package, files []*ast.File, info *types.Info) []*ssa.Function {
	var fns []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		fns = append(fns, fn)
		for _, lit := range fn.AnonFuncs {
			add(lit)
		}
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if obj, ok := info.Defs[decl.Name].(*types.Func); ok {
					if fn := pkg.Prog.FuncValue(obj); fn != nil && len(fn.Blocks) > 0 {
						add(fn)
					}
				}
			}
		}
	}
	if init := pkg.Func("init"); init != nil {
		for _, lit := range init.AnonFuncs {
			if !slices.Contains(fns, lit) {
				add(lit)
			}
		}
	}
	return fns
}

// Instructions yields the instructions of fn.
func Instructions(fn *ssa.Function) func(func(ssa.Instruction) bool) {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// Callee returns the function that c calls, for an instance of a generic one its origin; nil if it
// is not known.
func Callee(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	if origin := fn.Origin(); origin != nil {
		return origin
	}
	return fn
}

// Declared returns the function or the method of an interface that c calls, nil if that is a
// literal or the value of a variable.
func Declared(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := Callee(c); fn != nil {
		if obj, ok := fn.Object().(*types.Func); ok {
			return obj
		}
	}
	return nil
}

// Args returns the arguments of c, the receiver first.
func Args(c *ssa.CallCommon) []ssa.Value {
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	return c.Args
}

// FullName returns the name of f as the table has it: as go/types prints it, without type
// parameters.
func FullName(f *types.Func) string {
	name := f.FullName()
	if i := strings.IndexByte(name, '['); i >= 0 {
		if j := strings.LastIndexByte(name, ']'); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	return name
}

// A Shape has what an exploration asks of the body of a function.
type Shape struct {
	Order map[*ssa.BasicBlock]int // blocks before those that they lead to, except in loops
	live  map[*ssa.BasicBlock]map[ssa.Value]bool
}

// NewShape returns the shape of fn.
func NewShape(fn *ssa.Function) *Shape {
	sh := &Shape{make(map[*ssa.BasicBlock]int), make(map[*ssa.BasicBlock]map[ssa.Value]bool)}
	var walk func(b *ssa.BasicBlock)
	seen := make(map[*ssa.BasicBlock]bool)
	n := len(fn.Blocks)
	walk = func(b *ssa.BasicBlock) {
		seen[b] = true
		for _, next := range b.Succs {
			if !seen[next] {
				walk(next)
			}
		}
		n--
		sh.Order[b] = n
	}
	walk(fn.Blocks[0])
	sh.liveness(fn)
	return sh
}

// liveness finds the values that are needed in each block or behind it, and are there when it begins.
func (sh *Shape) liveness(fn *ssa.Function) {
	var need func(b *ssa.BasicBlock, v ssa.Value)
	need = func(b *ssa.BasicBlock, v ssa.Value) { // v is needed in b
		if i, ok := v.(ssa.Instruction); ok && i.Block() == b {
			return
		}
		if sh.live[b] == nil {
			sh.live[b] = make(map[ssa.Value]bool)
		}
		if sh.live[b][v] {
			return
		}
		sh.live[b][v] = true
		for _, p := range b.Preds {
			need(p, v)
		}
	}
	var operands []*ssa.Value
	for i := range Instructions(fn) {
		operands = i.Operands(operands[:0])
		for k, op := range operands {
			v := *op
			if v == nil {
				continue
			}
			if _, ok := i.(*ssa.Phi); ok {
				need(i.Block().Preds[k], v)
			} else {
				need(i.Block(), v)
			}
		}
	}
}

// Live reports whether v, which is there when b begins, may be needed in b or behind it.
func (sh *Shape) Live(b *ssa.BasicBlock, v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter:
		return true
	case *ssa.Phi:
		return v.Block() == b || sh.live[b][v]
	}
	return sh.live[b][v]
}

// Loops reports whether b can run more than once in a call.
func Loops(b *ssa.BasicBlock) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	queue := slices.Clone(b.Succs)
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		if x == b {
			return true
		}
		if !seen[x] {
			seen[x] = true
			queue = append(queue, x.Succs...)
		}
	}
	return false
}
