package groups

import (
	"runtime"
	"strconv"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Pool measures pools of byte slices: New and Release against other pools and
// against make, then what statistics add to New and Make.
func Pool() contest.Group {
	g := contest.Group{
		Name: "pool",
		About: "A slice is taken from a pool, one byte of it is written, and it is released. " +
			"Mode=parallel: GOMAXPROCS goroutines do so. Handover: one goroutine takes slices, another releases them; they go over in batches by a channel. " +
			"Pipeline: the same, by a ring without locks, so that both goroutines always run. Burst: 256 slices are taken, then released. " +
			"Yield: each of a thousand goroutines per processor takes four slices, yields, and releases them. " +
			"Make=heap: the slices outlive the function that makes them, so that make allocates them on the heap, and the collector has 4 MiB of pointers to mark. " +
			"Each contestant has a new pool in every round of every row, except for mcache, which has one pool for the whole program.",
	}
	for _, size := range poolSizes {
		g.Rows = append(g.Rows, pairRow(size, "serial", func(o pairs) func(n int) { return o }))
	}
	for _, size := range poolSizes {
		g.Rows = append(g.Rows, pairRow(size, "parallel", func(o pairs) func(n int) {
			return contest.Parallel(runtime.GOMAXPROCS(0), o)
		}))
	}
	for _, size := range poolSizes {
		g.Rows = append(g.Rows, handoverRow("handover", size, newChannels, newChannels))
	}
	g.Rows = append(g.Rows, handoverRow("pipeline", 1<<10, newRing, newRing))
	for _, size := range poolSizes {
		if size < 1<<20 { // 256 MiB in use at once is not a burst but a leak
			g.Rows = append(g.Rows, burstRow(size))
		}
	}
	g.Rows = append(g.Rows, yieldRow(1<<10))
	for _, mode := range []string{"serial", "parallel"} {
		for _, size := range smallSizes {
			g.Rows = append(g.Rows, heapRow(mode, size))
		}
	}
	for _, size := range smallSizes {
		g.Rows = append(g.Rows, stackRow(size))
	}
	g.Rows = append(g.Rows,
		portableRow("serial", 1), portableRow("parallel", runtime.GOMAXPROCS(0)),
		exchangeRow("handover", newChannels), exchangeRow("pipeline", newRing))
	g.Rows = append(g.Rows, methodRows()...)
	return g
}

var poolSizes = []int{64, 1 << 10, 64 << 10, 1 << 20}

// rowName returns the name of a row by how the pool is used and the size of its
// slices.
func rowName(mode string, size int) string {
	return "mode=" + mode + "/size=" + strconv.Itoa(size)
}

// start returns a contestant whose Do is made anew for each run.
func start(name string, ours bool, do func() func(n int)) contest.Contestant {
	return contest.Contestant{Name: name, Ours: ours, Start: func() contest.Run {
		return contest.Run{Do: do()}
	}}
}

// pairRow measures taking and releasing one slice at a time.
func pairRow(size int, mode string, do func(pairs) func(n int)) contest.Row {
	return contest.Row{
		Name: rowName(mode, size),
		Contestants: []contest.Contestant{
			start("octet", true, func() func(int) { return do(octetPool(size).pairs) }),
			start("sync.Pool", false, func() func(int) { return do(syncPool(size).pairs) }),
			start("mcache", false, func() func(int) { return do(mcachePool(size).pairs) }),
			start("bytebufferpool", false, func() func(int) { return do(byteBufferPairs(size)) }),
			start("go-buffer-pool", false, func() func(int) { return do(libp2pPairs(size)) }),
			start("grpc/mem", false, func() func(int) { return do(grpcPairs(size)) }),
			start("make", false, func() func(int) { return do(makePairs(size)) }),
		},
	}
}

// handoverRow takes the constructor of the exchange twice, for slices and for
// pointers to slices, because a function value cannot be generic.
func handoverRow(mode string, size int, slices func(size int) exchange[[]byte], pointers func(size int) exchange[*[]byte]) contest.Row {
	return contest.Row{
		Name: rowName(mode, size),
		Contestants: []contest.Contestant{
			start("octet", true, func() func(int) { return handover(octetPool(size), slices(size)) }),
			start("sync.Pool", false, func() func(int) { return handover(syncPool(size), pointers(size)) }),
			start("mcache", false, func() func(int) { return handover(mcachePool(size), slices(size)) }),
		},
	}
}

// exchangeRow measures the exchange alone.
func exchangeRow(mode string, slices func(size int) exchange[[]byte]) contest.Row {
	return contest.Row{
		Name:        "mode=" + mode + "/size=none",
		Aside:       "The exchange alone, without a pool. Its time is included in each row of its mode.",
		Contestants: []contest.Contestant{start("no pool", false, func() func(int) { return handover(noPool(), slices(1)) })},
	}
}

func burstRow(size int) contest.Row {
	return contest.Row{
		Name: rowName("burst", size),
		Contestants: []contest.Contestant{
			start("octet", true, func() func(int) { return burst(octetPool(size)) }),
			start("sync.Pool", false, func() func(int) { return burst(syncPool(size)) }),
			start("mcache", false, func() func(int) { return burst(mcachePool(size)) }),
		},
	}
}

func yieldRow(size int) contest.Row {
	const floor = "no pool"
	return contest.Row{
		Name:  rowName("yield", size),
		Floor: floor,
		Least: yieldTurns * yielders(),
		Contestants: []contest.Contestant{
			start("octet", true, func() func(int) { return yield(octetPool(size)) }),
			start("sync.Pool", false, func() func(int) { return yield(syncPool(size)) }),
			start("mcache", false, func() func(int) { return yield(mcachePool(size)) }),
			start(floor, false, func() func(int) { return yield(noPool()) }),
		},
	}
}

// portableRow measures the engine that octet uses where goroutines cannot be
// pinned to processors, on a machine where they can.
func portableRow(mode string, goroutines int) contest.Row {
	const size = 1 << 10
	return contest.Row{
		Name:  "engine=portable/" + rowName(mode, size),
		Aside: "The portable engine, which octet uses where it cannot pin goroutines to processors: on Go releases that were not tested, and with the build tag octet_purego.",
		Contestants: []contest.Contestant{
			start("octet, portable", true, func() func(int) { return contest.Parallel(goroutines, portablePairs(size)) }),
			start("sync.Pool", false, func() func(int) { return contest.Parallel(goroutines, syncPool(size).pairs) }),
			start("mcache", false, func() func(int) { return contest.Parallel(goroutines, mcachePool(size).pairs) }),
		},
	}
}
