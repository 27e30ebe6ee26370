package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A shape is what is computed once of a function's blocks.
type shape struct {
	live  []map[ssa.Value]bool // registers that may be read from the block's start on
	loops []bool               // whether the block can reach itself
	order []int                // of the block: in front of what only comes after it
	after [][]bool             // after[a][b]: every way from a to the end goes through b

	rewritten map[*ssa.BasicBlock][]ssa.Value // see rewritten
}

// meets reports whether all ways from the branch in a have come to b.
func (sh *shape) meets(a, b *ssa.BasicBlock) bool { return a != b && sh.after[a.Index][b.Index] }

// rejoins reports whether all ways from the branch in a come to one block again.
func (sh *shape) rejoins(a *ssa.BasicBlock) bool {
	return slices.ContainsFunc(a.Parent().Blocks, func(b *ssa.BasicBlock) bool { return sh.meets(a, b) })
}

// postdominators returns for each block those that every way from it to the end, other than a
// panic, goes through.
func postdominators(fn *ssa.Function) [][]bool {
	n := len(fn.Blocks)
	after := make([][]bool, n)
	for i, b := range fn.Blocks {
		after[i] = make([]bool, n)
		for j := range after[i] {
			after[i][j] = len(b.Succs) > 0 || i == j || panics(b)
		}
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			for j := range after[i] {
				if i == j || !after[i][j] {
					continue
				}
				for _, succ := range fn.Blocks[i].Succs {
					if !after[succ.Index][j] {
						after[i][j], changed = false, true
						break
					}
				}
			}
		}
	}
	return after
}

// panics reports whether b ends with a panic.
func panics(b *ssa.BasicBlock) bool {
	_, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Panic)
	return ok
}

// reversePostorder returns the place of each block in reverse postorder.
func reversePostorder(fn *ssa.Function) []int {
	order := make([]int, len(fn.Blocks))
	seen := make([]bool, len(fn.Blocks))
	next := len(fn.Blocks)
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		for _, succ := range b.Succs {
			if !seen[succ.Index] {
				visit(succ)
			}
		}
		next--
		order[b.Index] = next
	}
	visit(fn.Blocks[0])
	return order
}

// reaches reports whether there is a path of at least one edge from a to b.
func reaches(a, b *ssa.BasicBlock) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	todo := append([]*ssa.BasicBlock(nil), a.Succs...)
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if x == b {
			return true
		}
		if !seen[x] {
			seen[x] = true
			todo = append(todo, x.Succs...)
		}
	}
	return false
}
