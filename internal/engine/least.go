package engine

// A least is the fewest slices that any look found in use, in a while that ends when many times as
// many have come back, and in the while before. What was in use all that time is kept for
// long, or lost, which cannot be told from each other. And where foreign slices are released,
// which count as less than none, they hide no more than came since.
type least struct {
	n     int64  // the fewest, with those of the while before
	next  int64  // the fewest of this while alone
	since uint64 // slices that had come back when it began
}

// turnover is how many times as many slices as are in use come back in a while.
const turnover = 16

// beyond notes how many slices are in use, and how many have come back, and returns how many more
// than the fewest are in use.
func (l *least) beyond(inUse int64, back uint64) int64 {
	l.n, l.next = min(l.n, inUse), min(l.next, inUse)
	if back-l.since >= turnover*uint64(max(inUse, -inUse, 1)) {
		l.n, l.next, l.since = l.next, inUse, back
	}
	return inUse - l.n
}
