package engine

// A least is a sliding minimum of the number of slices in use, over two spans: a span ends when
// turnover times as many slices have come back as are in use beyond the fewest. Slices in use all that
// time are held for long, or lost; the two cannot be told apart. As long as fewer than one in turnover
// are lost, spans stay short. A release of a foreign slice lowers the number, also below zero, but only
// until the spans have passed.
type least struct {
	n     int64  // the fewest, with those of the while before
	next  int64  // the fewest of this while alone
	since uint64 // slices that had come back when it began
}

const turnover = 4 // times as many slices come back in a span

// beyond notes how many slices are in use, and how many have come back, and returns how many more
// than the fewest are in use.
func (l *least) beyond(inUse int64, back uint64) int64 {
	l.n, l.next = min(l.n, inUse), min(l.next, inUse)
	if back-l.since >= turnover*uint64(max(inUse-l.n, 1)) {
		l.n, l.next, l.since = l.next, inUse, back
	}
	return inUse - l.n
}
