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

const limitedSize = 4 << 10

// limitOf returns a limit, and how many slices are in use all the time.
func limitOf(name string) (limit int64, inUse int) {
	if name == "near" {
		return 64 * limitedSize, 60
	}
	return 1 << 30, 0
}

func limitRow(limit, mode string) contest.Row {
	goroutines := 1
	if mode == "parallel" {
		goroutines = runtime.GOMAXPROCS(0)
	}
	begin := func(f func(bytes int64, inUse int) pairs) func() func(int) {
		return func() func(int) { return contest.Parallel(goroutines, f(limitOf(limit))) }
	}
	return contest.Row{
		Name: "op=pair/limit=" + limit + "/mode=" + mode,
		Contestants: []contest.Contestant{
			start("octet, TryNew", true, begin(func(bytes int64, inUse int) pairs { return tryNewPairs(limitedSize, bytes, inUse) })),
			start("atomic counter", false, begin(counterPairs)),
		},
	}
}

// tryNewPairs asks a pool with a limit.
func tryNewPairs(size int, bytes int64, inUse int) pairs {
	p := bytespool.NewCapacityPools(octetMin, octetMax, bytespool.WithLimit(bytes))
	for range inUse {
		if _, err := p.TryNew(size); err != nil { //poolcheck:ignore OCT004 stays in use on purpose
			panic(err)
		}
	}
	return func(n int) {
		for range n {
			b, err := p.TryNew(size)
			if err != nil {
				panic(err)
			}
			b[0] = 1
			p.Release(b)
		}
	}
}

// counterPairs counts the bytes in use in one variable.
func counterPairs(bytes int64, inUse int) pairs {
	p := bytespool.NewCapacityPools(octetMin, octetMax)
	var used atomic.Int64
	used.Add(int64(inUse) * limitedSize)
	return func(n int) {
		for range n {
			if used.Add(limitedSize) > bytes {
				panic("no room")
			}
			b := p.New(limitedSize)
			b[0] = 1
			p.Release(b)
			used.Add(-limitedSize)
		}
	}
}
