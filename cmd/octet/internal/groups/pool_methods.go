package groups

import (
	"runtime"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// methodRows compare a pool whose statistics are switched on with one where
// they are off. What is off stands in for the rival.
func methodRows() []contest.Row {
	var rows []contest.Row
	for _, mode := range []string{"serial", "parallel"} {
		for _, m := range methods {
			stats := func(name string, on bool) contest.Contestant {
				return start(name, on, func() func(int) {
					p := bytespool.NewCapacityPools(octetMin, octetMax)
					p.SetWithStats(on)
					if mode == "parallel" {
						return contest.Parallel(runtime.GOMAXPROCS(0), m.pairs(p))
					}
					return m.pairs(p)
				})
			}
			rows = append(rows, contest.Row{
				Name:        "op=" + m.name + "/mode=" + mode,
				Contestants: []contest.Contestant{stats("statistics on", true), stats("statistics off", false)},
			})
		}
	}
	return rows
}

// methods are the three ways to take a slice whose cost differs.
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
	{"MakeMax", func(p *bytespool.CapacityPools) pairs {
		return func(n int) {
			for range n {
				b := p.MakeMax()
				b[:1][0] = 1
				p.Release(b)
			}
		}
	}},
}
