package measure

import "time"

// warmUp is the share of a slice's operations that is done before it, to fill
// the caches and pools that a fresh start finds empty.
const warmUp = 1.0 / 8

// minSlice is the shortest slice that is measured, however little time there is:
// below, the call, the clock and an interrupt would weigh too much.
const minSlice = 500 * time.Microsecond

// plan sets everybody's number of operations. All slices are equally long, and
// as long as lets all rounds end within the time that is left, or maxSlice if
// that is above 0 and less; contestants whose fewest operations take longer do
// these, and the others get what that leaves.
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
			e.n = e.operations(max(low, float64(minSlice.Nanoseconds())))
			e.out.N = e.n
		}
	}
}

// roundTime is how long a round takes, in nanoseconds, with slices that long.
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

// operations is how many operations a slice of that many nanoseconds has. A
// contestant whose garbage is collected while it runs does whole cycles from
// collection to collection, and two at least: what the collections cost would
// otherwise depend on where the slice happens to end.
func (e *entrant) operations(slice float64) int {
	n := int(min(max(float64(e.least), slice/e.cost.op), maxOperations))
	if e.cycle > 0 {
		n = max(2, (n+e.cycle/2)/e.cycle) * e.cycle
	}
	return n
}

// warmUps is how many operations go before n measured ones; at least 1.
func warmUps(n int) int {
	return max(1, int(float64(n)*warmUp))
}
