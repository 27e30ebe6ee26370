package groups

import (
	"runtime"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// methodRows compare a pool that keeps statistics with one that does not.
func methodRows() []contest.Row {
	const on, off = "statistics on", "statistics off"
	var rows []contest.Row
	for _, mode := range []string{"serial", "parallel"} {
		for _, m := range methods {
			stats := func(name string) contest.Contestant {
				return start(name, true, func() func(int) {
					p := bytespool.NewCapacityPools(octetMin, octetMax)
					p.SetWithStats(name == on) //lint:ignore SA1019 the row measures what it costs
					if mode == "parallel" {
						return contest.Parallel(runtime.GOMAXPROCS(0), m.pairs(p))
					}
					return m.pairs(p)
				})
			}
			rows = append(rows, contest.Row{
				Name:        "op=" + m.name + "/mode=" + mode,
				Aside:       "Octet against itself: the cost of statistics. The ratio is to a pool without them.",
				Against:     off,
				Contestants: []contest.Contestant{stats(on), stats(off)},
			})
		}
	}
	return rows
}

// methods are the ways to take a slice that differ in cost.
var methods = []struct {
	name  string
	pairs func(p *bytespool.CapacityPools) pairs
}{
	{"New", func(p *bytespool.CapacityPools) pairs {
		return func(n int) {
			for range n {
				b := p.New(1 << 10)
				b[0] = 1
				p.Release(b)
			}
		}
	}},
	{"Make", func(p *bytespool.CapacityPools) pairs {
		return func(n int) {
			for range n {
				b := p.Make(1 << 10)
				b[:1][0] = 1
				p.Release(b)
			}
		}
	}},
}
