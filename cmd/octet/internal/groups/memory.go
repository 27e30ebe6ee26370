package groups

import (
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Memory measures what pools keep: how much of a burst the next one finds, what that
// costs a program that is short of memory, and when it goes.
func Memory() contest.Group {
	g := contest.Group{
		Name: "memory",
		About: "What pools keep between uses. " +
			"Burst: 256 slices of 64 KiB are acquired and released, by one goroutine, or half of them by another on another processor, " +
			"with as many collections between two bursts as gcs says; miss-% is the share of slices that had to be allocated. " +
			"Hold: the same slices are in use during 10 collections. " +
			"Idle: what is kept after the last use (kept-1-B), after a collection (kept-2-B), and after the retention and another collection (kept-3-B). " +
			"Squeeze: of a memory limit of 360 MiB, 200 MiB are live pointers, and the pool was given 128 MiB; then 1 GiB of garbage is made. " +
			"Steady: the same for 50 collections; changes counts how often the pool kept another amount than after the collection before; " +
			"with used=yes an eighth of it is used after each. " +
			"Phases: bursts of 32 MiB of one size, which changes 8 times; between two bursts, 16 MiB of garbage. " +
			"Turns: bursts of 200 slices of 64 KiB in each of 50 pools in turn, with GOGC=off and a limit of 128 MiB; worst-B is the most memory from the system. " +
			"Foreign: two goroutines release slices of 128 KiB to 4 MiB that come from elsewhere, and nobody takes any. " +
			"Mix: slices of 300 B to 1 MiB, 512 in use at a time. " +
			"Worst: the largest capacity for a size above 256 bytes, as a multiple of the size. " +
			"Grown: slices are taken small, something longer is appended, up to need, and what they have become is released; grownheap is the peak heap of that. " +
			"Channel is a free list that never gives anything back. The pools other than octet have a class for each power of two.",
		OptIn: true,
	}
	for _, goroutines := range []int{1, 2} {
		for _, gcs := range []int{1, 2, 4} {
			g.Rows = append(g.Rows, keepRow(goroutines, gcs))
		}
	}
	g.Rows = append(g.Rows, holdRow(10), idleRow(), squeezeRow(), steadyRow(false), steadyRow(true), phasesRow(), turnsRow(), foreignRow(), mixRow(), worstRow())
	for _, size := range []int{256, 4 << 10, 64 << 10} {
		g.Rows = append(g.Rows, stepsRow(size))
	}
	g.Rows = append(g.Rows, grownRows()...)
	return g
}

// keeping is why rows about what is kept do not count in the verdict.
const keeping = "They are about what is kept, of which neither more nor less is better in itself: a channel keeps everything for ever."
