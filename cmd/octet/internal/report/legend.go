package report

import "github.com/octet-go/octet/cmd/octet/internal/summary"

// The marks in cells.
const (
	bestMark  = "*"
	levelMark = "≈"
	floorMark = "floor"
)

// An Entry explains something that stands in a cell.
type Entry struct{ Term, Text string }

// legend explains the cells of the document's tables: their colours where they
// have any, and what is allocated where that is shown.
func legend(d *Doc, colors bool, shown detail) []Entry {
	faster, slower := "faster", "slower"
	if colors {
		faster, slower = "faster (green)", "slower (red)"
	}
	entries := []Entry{
		{"12.3 ns ±4%", "The median of one operation, and half the width of its 95 % confidence interval, in percent of it. " +
			"Without ± there were too few rounds for an interval."},
		{"8.4 ns " + bestMark, "The row's best rival: of all contestants that are not octet the one with the best median."},
		{"0.68×", "Octet relative to the best rival: the median, over the rounds, of its figure divided by the rival's. " +
			"The whole 95 % confidence interval of that ratio, which is not the interval behind ±, lies below 1: octet is " + faster + ". " +
			"If it lies above 1, octet is " + slower + "."},
		{levelMark + "1.02×", "The ratio's interval contains 1: the two are level, as far as the run can tell."},
	}
	if d.any(hasFloor) {
		entries = append(entries, Entry{"121 ns " + floorMark, "The bare loop, or the part of the work that all share. " +
			"It is subtracted from both figures before a ratio is formed, and it is nobody's rival."})
	}
	if shown == full {
		entries = append(entries, Entry{"64 B in 1", "An operation allocates 64 bytes in 1 allocation; in <1: in less than one on average."})
	}
	return entries
}

// any reports whether the document has a row of that kind.
func (d *Doc) any(kind func(*summary.Row) bool) bool {
	for i := range d.Groups {
		for j := range d.Groups[i].Rows {
			if kind(&d.Groups[i].Rows[j]) {
				return true
			}
		}
	}
	return false
}

func hasFloor(r *summary.Row) bool {
	for i := range r.Contestants {
		if r.Contestants[i].Floor {
			return true
		}
	}
	return false
}
