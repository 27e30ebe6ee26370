package measure

import "time"

// warmUp is the number of operations that precede a slice, as a share of the
// slice's, to fill the caches and pools that are empty after Start.
const warmUp = 1.0 / 8

// minSlice is the length of the shortest slice, however little time there is.
// In a shorter one the call, the clock and interrupts would weigh too much.
const minSlice = 500 * time.Microsecond

// plan sets every entrant's number of operations. All slices have the same
// length: the longest that lets all rounds end within the time that is left,
// but no more than maxSlice if that is above 0. Contestants whose fewest
// operations take longer do just these, and the others share what that leaves.
func plan(rows [][]*entrant, rounds int, maxSlice, left time.Duration) {
	round := float64(left.Nanoseconds()) / float64(rounds)
	low, high := 0.0, max(round, 0)
	if maxSlice > 0 {
		high = min(high, float64(maxSlice.Nanoseconds()))
	}
	for range 50 { // the longer the slice, the longer the round: bisect
		if mid := (low + high) / 2; roundTime(rows, mid) <= round {
			low = mid
		} else {
			high = mid
		}
	}
	for _, row := range rows {
		for _, e := range row {
			e.c.N = e.operations(max(low, float64(minSlice.Nanoseconds())))
		}
	}
}

// roundTime returns how long a round with slices of that length takes. Both are
// in nanoseconds.
func roundTime(rows [][]*entrant, slice float64) float64 {
	sum := 0.0
	for _, row := range rows {
		for _, e := range row {
			n := e.operations(slice)
			sum += float64(e.cost.fixed.Nanoseconds()) + float64(n+warmUps(n))*e.cost.op
		}
	}
	return sum
}

// operations returns how many operations a slice of that many nanoseconds has.
// If the garbage of a contestant is collected while it runs, it does whole
// cycles from collection to collection, at least two; otherwise the cost of
// collections would depend on where the slice happens to end.
func (e *entrant) operations(slice float64) int {
	n := int(min(max(float64(e.least), slice/e.cost.op), maxOperations))
	if e.cycle > 0 {
		n = max(2, (n+e.cycle/2)/e.cycle) * e.cycle
	}
	return n
}

// warmUps returns how many operations precede n measured ones; at least 1.
func warmUps(n int) int {
	return max(1, int(float64(n)*warmUp))
}
