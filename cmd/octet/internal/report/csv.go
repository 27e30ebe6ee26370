package report

import (
	"encoding/csv"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
)

// writeCSV writes a line for each unit of each contestant. Unknown values are
// empty: intervals if there were too few rounds, and ratios that do not exist.
func writeCSV(w io.Writer, d *Doc) error {
	out := csv.NewWriter(w)
	out.Write([]string{"group", "row", "contestant", "ours", "unit", "median", "low", "high", "rounds",
		"bytes", "ratio", "ratio_low", "ratio_high", "best_rival", "not_counted"})
	for i, g := range d.Groups {
		for j, r := range g.Rows {
			raw := d.Run.Groups[i].Rows[j]
			for k, c := range r.Contestants {
				for _, unit := range slices.Sorted(maps.Keys(c.Units)) {
					s := c.Units[unit]
					line := []string{g.Name, r.Name, c.Name, strconv.FormatBool(c.Ours), unit,
						number(s.Center), number(s.Lo), number(s.Hi),
						strconv.Itoa(len(raw.Contestants[k].Samples[unit])),
						strconv.FormatInt(r.Bytes, 10), "", "", "", r.Best, r.Aside}
					if unit == r.Unit && c.Ratio != nil {
						line[10], line[11], line[12] = number(c.Ratio.Center), number(c.Ratio.Lo), number(c.Ratio.Hi)
					}
					out.Write(line)
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

func number(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
