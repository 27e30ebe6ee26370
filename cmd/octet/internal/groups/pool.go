package groups

import (
	"strconv"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Pool measures pools of byte slices: New and Release against other pools and make.
func Pool() contest.Group {
	g := contest.Group{
		Name: "pool",
		About: "A slice is taken from a pool, one byte of it is written, and it is released. " +
			"Mode=parallel: GOMAXPROCS goroutines do so. Handover: one goroutine takes slices, another releases them; they go over in batches by a channel. " +
			"Burst: 256 slices are taken, then released. Held=8: eight are. " +
			"Sizes=2: an operation takes and releases 64 B, then 1 KiB; the rival has a sync.Pool for each. " +
			"Sizes=8: each slice has one of eight sizes from 64 B to 8 KiB, at random; the rival has a sync.Pool for each power of two. " +
			"Make=heap: the slices outlive the function that makes them, so that make allocates them on the heap, and the collector has 4 MiB of pointers to mark. " +
			"Each contestant has a new pool in every round of every row, except for mcache, which has one pool for the whole program.",
	}
	for _, mode := range []string{"serial", "parallel", "handover"} {
		for _, size := range poolSizes {
			g.Rows = append(g.Rows, poolRow(mode, size))
		}
	}
	for _, size := range poolSizes {
		if size < 1<<20 { // 256 MiB in use at once is not a burst but a leak
			g.Rows = append(g.Rows, poolRow("burst", size))
		}
	}
	for _, mode := range []string{"serial", "parallel"} {
		g.Rows = append(g.Rows, inTurnRow(mode), atRandomRow(mode), heldRow(mode), stepsRow(mode))
	}
	for _, mode := range []string{"serial", "parallel"} {
		for _, size := range smallSizes {
			g.Rows = append(g.Rows, heapRow(mode, size))
		}
	}
	for _, size := range smallSizes {
		g.Rows = append(g.Rows, stackRow(size))
	}
	g.Rows = append(g.Rows, portableRow("serial"), portableRow("parallel"))
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

// poolRow measures a way to use a pool, with all rivals that can be used so.
func poolRow(mode string, size int) contest.Row {
	return contest.Row{Name: rowName(mode, size), Contestants: in(mode, size, rivals...)}
}

// portableRow measures the engine that octet uses where goroutines cannot be
// pinned to processors, on a machine where they can.
func portableRow(mode string) contest.Row {
	const size = 1 << 10
	return contest.Row{
		Name:        "engine=portable/" + rowName(mode, size),
		Aside:       "The portable engine, which octet uses where it cannot pin goroutines to processors: on Go releases that were not tested, and with the build tag octet_purego.",
		Contestants: in(mode, size, pairRival("octet, portable", true, portablePairs), rivals[1], rivals[2]),
	}
}
