package groups

import (
	"runtime"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Limit measures what it costs to ask before memory is taken.
func Limit() contest.Group {
	g := contest.Group{
		Name: "limit",
		About: "Limits on the bytes in use: a slice of 4 KiB is asked for, one byte of it is written, and it is released. " +
			"The rival has octet's pool without a limit and counts beside it, in one atomic counter. " +
			"Mode=parallel: GOMAXPROCS goroutines do so, all on one counter, which more processors make slower for each: " +
			"two atomic additions to one word took eight times as long on 64 processors as on one (go.dev/issue/17973). Limit=far: 1 GiB. Limit=near: 64 slices, of which 60 are in use all the time.",
		OptIn: true,
	}
	for _, limit := range []string{"far", "near"} {
		for _, mode := range []string{"serial", "parallel"} {
			g.Rows = append(g.Rows, limitRow(limit, mode))
		}
	}
	return g
}

func limitRow(limit, mode string) contest.Row {
	const size = 4 << 10
	bytes, inUse := int64(1<<30), 0 // the limit, and how many slices are in use all the time
	if limit == "near" {
		bytes, inUse = 64*size, 60
	}
	goroutines := 1
	if mode == "parallel" {
		goroutines = runtime.GOMAXPROCS(0)
	}
	return contest.Row{
		Name: "op=pair/limit=" + limit + "/mode=" + mode,
		Contestants: []contest.Contestant{
			start("octet, TryNew", true, func() func(int) {
				p := bytespool.NewPool(bytespool.WithSizes(octetMin, octetMax), bytespool.WithLimit(bytes))
				for range inUse {
					if _, err := p.TryNew(size); err != nil { //poolcheck:ignore OCT004 stays in use on purpose
						panic(err)
					}
				}
				return contest.Parallel(goroutines, func(n int) {
					for range n {
						b, err := p.TryNew(size)
						if err != nil {
							panic(err)
						}
						b[0] = 1
						p.Release(b)
					}
				})
			}),
			start("atomic counter", false, func() func(int) {
				p := bytespool.NewPool(bytespool.WithSizes(octetMin, octetMax))
				used := new(atomic.Int64)
				used.Add(int64(inUse) * size)
				return contest.Parallel(goroutines, func(n int) {
					for range n {
						if used.Add(size) > bytes {
							panic("no room")
						}
						b := p.New(size)
						b[0] = 1
						p.Release(b)
						used.Add(-size)
					}
				})
			}),
		},
	}
}
