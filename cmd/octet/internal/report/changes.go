package report

import (
	"fmt"
	"slices"

	"github.com/octet-go/octet/cmd/octet/internal/compare"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// changeTable lists octet's contestants with what changed, the unit's old and
// new median where the change is significant and ~ where it is not.
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

// changeNotes says in sentences what the table does not show.
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
	notes := []string{"~ is no significant change: P values are corrected for all comparisons together (Holm), and must be below 0.05."}
	if rivals > 0 {
		notes = append(notes, fmt.Sprintf("The rivals' time changed by %s in the median, %d of %d significantly; "+
			"what they lost --fail-if grants octet, up to 25%% where all lost it, and in full where a row did.", percent(compare.Drift(r.Changes)-1), changed, rivals))
	}
	if r.Gone > 0 || r.Fresh > 0 {
		notes = append(notes, fmt.Sprintf("Not compared: %d contestants that only the baseline has, %d that only this run has.", r.Gone, r.Fresh))
	}
	for _, d := range []struct{ what, old, new string }{
		{"CPU", r.Old.CPU, now.CPU},
		{"Go", r.Old.Go, now.Go},
		{"platform", r.Old.GOOS + "/" + r.Old.GOARCH, now.GOOS + "/" + now.GOARCH},
		{"GOMAXPROCS", fmt.Sprint(r.Old.GOMAXPROCS), fmt.Sprint(now.GOMAXPROCS)},
	} {
		if d.old != d.new {
			notes = append(notes, fmt.Sprintf("The baseline was made with another %s: %s, now %s.", d.what, d.old, d.new))
		}
	}
	return notes
}
