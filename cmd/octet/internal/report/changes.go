package report

import (
	"fmt"
	"slices"

	"github.com/octet-go/octet/cmd/octet/internal/compare"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// changeTable lists octet's contestants: the old and the new time, and how much
// each unit changed, or ~ if the change is not significant.
func changeTable(r *compare.Result) grid {
	t := grid{
		Title: "against the baseline",
		Head:  []string{"row", "contestant", "time before", "time now", "time", "allocated", "allocations"},
		Words: 2,
	}
	for changes := range slices.Chunk(r.Changes, 3) { // the three units of one contestant
		if !changes[0].Ours {
			continue
		}
		line := []cell{
			{Text: changes[0].Group + "/" + changes[0].Row},
			{Text: changes[0].Contestant},
			{Text: figure(changes[0].Old, sample.Time)},
			{Text: figure(changes[0].New, sample.Time)},
		}
		for i := range changes {
			line = append(line, deltaCell(&changes[i]))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

func deltaCell(c *compare.Change) cell {
	if !c.Significant() || c.Old == c.New {
		return cell{Text: "~"}
	}
	out := cell{Text: fmt.Sprintf("%s p=%.2g", percent(c.Delta()), c.P), Tone: good}
	if c.New > c.Old {
		out.Tone = bad
	}
	return out
}

// changeNotes returns sentences about what the table does not show.
func changeNotes(r *compare.Result, now sample.Env) []string {
	rivals, changed := 0, 0
	for i := range r.Changes {
		if c := &r.Changes[i]; !c.Ours && c.Unit == sample.Time {
			rivals++
			if c.Significant() {
				changed++
			}
		}
	}
	notes := []string{"~ means no significant change. P values are corrected for the number of comparisons (Holm) and must be below 0.05."}
	if rivals > 0 {
		notes = append(notes, fmt.Sprintf("The rivals' times changed by %s in the median, %d of %d significantly. "+
			"--fail-if allows octet the same slowdown: up to 25%% if it affected all rows, and without a bound if it affected one row.", percent(compare.Drift(r.Changes)-1), changed, rivals))
	}
	if r.Gone > 0 || r.Fresh > 0 {
		notes = append(notes, fmt.Sprintf("Not compared: %d contestants that are only in the baseline, and %d that are only in this run.", r.Gone, r.Fresh))
	}
	for _, d := range []struct{ what, old, new string }{
		{"CPU", r.Old.CPU, now.CPU},
		{"Go", r.Old.Go, now.Go},
		{"platform", r.Old.GOOS + "/" + r.Old.GOARCH, now.GOOS + "/" + now.GOARCH},
		{"GOMAXPROCS", fmt.Sprint(r.Old.GOMAXPROCS), fmt.Sprint(now.GOMAXPROCS)},
	} {
		if d.old != d.new {
			notes = append(notes, fmt.Sprintf("The baseline was made with a different %s: %s, now %s.", d.what, d.old, d.new))
		}
	}
	return notes
}
