package groups

import (
	"runtime"
	"runtime/metrics"
	"time"
	"unsafe"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// In a squeeze most of the memory limit is live, and most of the rest idle.
const (
	squeezeLimit = "GOMEMLIMIT=360MiB"
	squeezeLive  = 200 << 20
	squeezeIdle  = 128 << 20
)

// A node is memory that is costly to mark: each word is a pointer.
type node [8]*node

// newTree returns a tree of n nodes, at least one.
func newTree(n int) *node {
	root := new(node)
	rest := n - 1
	for i := range root {
		share := (rest + len(root) - i - 1) / (len(root) - i)
		if share == 0 {
			break
		}
		root[i] = newTree(share)
		rest -= share
	}
	return root
}

// litter makes that many bytes of garbage. It returns a part, so that none is allocated
// on the stack.
//
//go:noinline
func litter(bytes int) (last []byte) {
	const each = 1 << 10
	for range bytes / each {
		last = make([]byte, each)
	}
	return last
}

// squeeze returns the live heap, and a store that was given squeezeIdle.
func squeeze(p policy) (*node, store) {
	tree := newTree(squeezeLive / int(unsafe.Sizeof(node{})))
	s := p.open()
	held := make([]loan, squeezeIdle/keepSize)
	takeAll(s, held, keepSize)
	putAll(s, held)
	return tree, s
}

// squeezeRow measures what idle memory costs a program that is short of memory: the
// less room it leaves, the more collections there are. An operation makes 8 MiB of
// garbage. The floor is the live heap.
func squeezeRow() contest.Row {
	const floor = "live heap"
	row := contest.Row{
		Name:    "op=squeeze",
		Unit:    sample.CPU,
		Aside:   keeping,
		Floor:   floor,
		Process: &contest.Process{Operations: 128, Env: []string{squeezeLimit}},
		Contestants: keepers(func(p policy) contest.Run {
			tree, s := squeeze(p)
			return contest.Run{
				Do: func(n int) { litter(n * 8 << 20) },
				Metrics: func() map[string]float64 {
					runtime.KeepAlive(tree)
					return map[string]float64{"idle-B": float64(s.idle())}
				},
			}
		}, octetDefault, octetDrained, octetRetain(time.Minute), keepsSync, keepsAlways, keepsNever),
	}
	row.Contestants = append(row.Contestants, contest.Contestant{Name: floor, Start: func() contest.Run {
		tree, _ := squeeze(keepsNever)
		return contest.Run{Do: func(int) { runtime.KeepAlive(tree) }}
	}})
	return row
}

// steadyRow counts how often what is kept changes in a squeeze, and if the pool is used
// how much of that is found again. An operation lasts until a collection has passed,
// and is followed by a burst of an eighth of what the pool was given if it is used.
func steadyRow(used bool) contest.Row {
	name, unit := "op=steady/used=no", "changes"
	if used {
		name, unit = "op=steady/used=yes", misses
	}
	return contest.Row{
		Name:    name,
		Unit:    unit,
		Aside:   keeping,
		Process: &contest.Process{Operations: 50, Env: []string{squeezeLimit}},
		Contestants: keepers(func(p policy) contest.Run {
			tree, s := squeeze(p)
			held := make([]loan, squeezeIdle/keepSize/8)
			changes, idle := 0, int64(squeezeIdle)
			gets, before := 0, s.misses()
			return contest.Run{
				Do: func(n int) {
					for range n {
						for last := collections(); collections() == last; {
							litter(1 << 20)
						}
						time.Sleep(time.Millisecond) // as in collect
						if now := s.idle(); now != idle {
							changes, idle = changes+1, now
						}
						if used {
							takeAll(s, held, keepSize)
							putAll(s, held)
							gets += len(held)
						}
					}
				},
				Metrics: func() map[string]float64 {
					runtime.KeepAlive(tree)
					units := map[string]float64{"changes": float64(changes), "idle-B": float64(s.idle())}
					if used {
						units[misses] = missed(gets, s.misses()-before)
					}
					return units
				},
			}
		}, octetDefault, octetDrained, octetRetain(time.Minute), keepsAlways),
	}
}

// collections returns how many collections there have been.
func collections() uint64 {
	look := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(look)
	return look[0].Value.Uint64()
}
