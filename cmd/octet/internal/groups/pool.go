package groups

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Pool measures pools of byte slices: New and Release against other pools and make.
func Pool() contest.Group {
	g := contest.Group{
		Name: "pool",
		About: "A slice is taken from a pool, one byte of it is written, and it is released. " +
			"Mode=parallel: GOMAXPROCS goroutines do so. Handover: one goroutine takes slices, another releases them; they go over in batches by a channel. " +
			"Burst: 256 slices are taken, then released. Held=8: eight are. " +
			"Sizes=2: slices of 64 B and 1 KiB in turn, sizes=8: of eight sizes from 64 B to 8 KiB at random; the rival has a sync.Pool for each power of two. " +
			"Make=heap: the slices outlive the function that makes them, so that make allocates them on the heap, and the collector has 4 MiB of pointers to mark. " +
			"Each contestant has a new pool in every round of every row, except for mcache, which has one pool for the whole program.",
	}
	for _, mode := range []string{"serial", "parallel", "handover", "burst"} {
		for _, size := range poolSizes {
			if mode != "burst" || size < 1<<20 { // 256 MiB in use at once is not a burst but a leak
				g.Rows = append(g.Rows, poolRow(mode, size))
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, mode := range []string{"serial", "parallel"} {
		g.Rows = append(g.Rows, sizesRow(mode, 2, func(i int) int { return 64 << (i % 2 * 4) }),
			sizesRow(mode, 8, func(int) int { return 64 << rng.IntN(8) }), heldRow(mode), heapRow(mode))
	}
	g.Rows = append(g.Rows, portableRow("serial"), portableRow("parallel"))
	return g
}

var poolSizes = []int{64, 1 << 10, 64 << 10, 1 << 20}

// in has the contestants work on all processors at once in mode parallel.
func in(mode string, contestants ...contest.Contestant) []contest.Contestant {
	if mode == "parallel" {
		for i := range contestants {
			start := contestants[i].Start
			contestants[i].Start = func() func(int) { return parallel(runtime.GOMAXPROCS(0), start()) }
		}
	}
	return contestants
}

// poolRow measures a way to use a pool. Some of the rivals only hand out one slice at a time.
func poolRow(mode string, size int) contest.Row {
	contestants := pools(mode, size)
	if mode == "serial" || mode == "parallel" {
		contestants = append(contestants, byteBuffers(size), makes(size))
	}
	return contest.Row{Name: fmt.Sprintf("mode=%s/size=%d", mode, size), Contestants: in(mode, contestants...)}
}

// portableRow measures the engine that octet uses where goroutines cannot be
// pinned to processors, on a machine where they can.
func portableRow(mode string) contest.Row {
	const size = 1 << 10
	contestants := pools(mode, size)
	contestants[0] = using("octet, portable", mode, size, func() pool[[]byte] { return octetPool{newPortablePool(), size} })
	return contest.Row{
		Name:        fmt.Sprintf("engine=portable/mode=%s/size=%d", mode, size),
		Aside:       "The portable engine, which octet uses where it cannot pin goroutines to processors: on Go releases that were not tested, and with the build tag octet_purego.",
		Contestants: in(mode, contestants...),
	}
}
