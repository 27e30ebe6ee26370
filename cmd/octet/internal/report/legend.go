package report

// An Entry explains what a cell may contain.
type Entry struct{ Term, Text string }

// legend explains the cells of tables. It mentions colours and
// allocations only if they are shown.
func legend(colors bool, shown detail) []Entry {
	faster, slower := "faster", "slower"
	if colors {
		faster, slower = "faster (green)", "slower (red)"
	}
	entries := []Entry{
		{"12.3 ns ±4%", "The median of one operation and half the width of its 95 % confidence interval, in percent of the median. " +
			"No ± means too few rounds for an interval, or no spread."},
		{"8.4 ns " + bestMark, "The row's best rival: the contestant with the best median that is not octet."},
		{"0.68× ±3%", "Octet's figure divided by the best rival's: the median of this ratio over all rounds or layouts, with its own interval. " +
			"If that interval lies below 1, and the ratio by a tenth, octet is " + faster + ". " +
			"If they lie above 1, octet is " + slower + "."},
		{levelMark + "1.02×", "Octet and the best rival are level: they differ by less than a tenth, or the interval of the ratio contains 1."},
	}
	if shown == full {
		entries = append(entries, Entry{"64 B in 1", "An operation allocates 64 bytes in 1 allocation. <1 means less than one on average."})
	}
	return entries
}
