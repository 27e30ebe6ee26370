package groups

import (
	"runtime"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Limit measures what it costs to ask before memory is taken, and what a server has of
// it that gets more requests than it can hold.
func Limit() contest.Group {
	g := contest.Group{
		Name: "limit",
		About: "Limits on the bytes in use. Pair: a slice of 4 KiB is asked for, one byte of it is written, and it is released; " +
			"the rivals have octet's pool without a limit and count beside it, in one atomic counter or in a semaphore of golang.org/x/sync. " +
			"Mode=parallel: GOMAXPROCS goroutines do so, all on one counter, which more processors make slower for each: " +
			"two atomic additions to one word took eight times as long on 64 processors as on one (go.dev/issue/17973). Limit=far: 1 GiB. Limit=near: 64 slices, of which 60 are in use all the time. " +
			"Server: in a process of its own with a memory limit of 256 MiB, 10,240 requests come at even intervals within a second, or fewer if it cannot keep up, without a network; each needs 1 MiB for 50 ms, " +
			"so that 2,560 a second fit into a limit of 128 MiB, as many as it has served before. Served/s counts those that got their memory; " +
			"reject-p99-ns is how long a rejected request takes.",
		OptIn: true,
	}
	for _, limit := range []string{"far", "near"} {
		for _, mode := range []string{"serial", "parallel"} {
			g.Rows = append(g.Rows, limitRow(limit, mode))
		}
	}
	for _, size := range []int{1 << 10, 4 << 10, 64 << 10, 1 << 20} {
		g.Rows = append(g.Rows, costRow(size, 1<<20), costRow(size, 1<<30))
	}
	g.Rows = append(g.Rows, serverRow())
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
			start("x/sync semaphore", false, begin(semaphorePairs)),
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

// semaphorePairs has a semaphore whose weight is the bytes in use.
func semaphorePairs(bytes int64, inUse int) pairs {
	p := bytespool.NewCapacityPools(octetMin, octetMax)
	s := semaphore.NewWeighted(bytes)
	s.TryAcquire(int64(inUse) * limitedSize)
	return func(n int) {
		for range n {
			if !s.TryAcquire(limitedSize) {
				panic("no room")
			}
			b := p.New(limitedSize)
			b[0] = 1
			p.Release(b)
			s.Release(limitedSize)
		}
	}
}

// costRow measures what a limit adds to a pair, and what asking adds to that.
func costRow(size int, limit int64) contest.Row {
	newPairs := func(o ...bytespool.Option) func() func(int) {
		return func() func(int) {
			p := bytespool.NewCapacityPools(octetMin, octetMax, o...)
			return func(n int) {
				for range n {
					b := p.New(size)
					b[0] = 1
					p.Release(b)
				}
			}
		}
	}
	return contest.Row{
		Name:    "op=cost/size=" + strconv.Itoa(size) + "/limit=" + strconv.FormatInt(limit>>20, 10) + "MiB/mode=serial",
		Aside:   "What a limit costs. Octet competes with itself.",
		Against: "New, no limit",
		Contestants: []contest.Contestant{
			start("New, no limit", true, newPairs()),
			start("New", true, newPairs(bytespool.WithLimit(limit))),
			start("TryNew", true, func() func(int) { return tryNewPairs(size, limit, 0) }),
		},
	}
}
