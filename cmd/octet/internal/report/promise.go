package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// promised returns the table of the rows that are about octet's promise: memory and
// processor time of each contestant, octet's divided by its peer's, and the verdict.
func (p *Part) promised() (t grid, some bool) {
	t = grid{Title: p.group + ": peak memory and processor time; * is the sync.Pool that octet's are divided by", Words: 1}
	for _, r := range p.Rows {
		if r.Promise == nil {
			continue
		}
		if !some {
			t.Head = slices.Concat([]string{"pattern"}, contestants(r), []string{"memory", "time", "promise"})
			some = true
		}
		line := []cell{{Text: r.Name}}
		n := 0
		for _, c := range r.Contestants {
			n = max(n, c.N)
		}
		for i := range r.Contestants {
			c := &r.Contestants[i]
			text := needs(c, n)
			if c.Name == r.Promise.Peer {
				text += " " + bestMark
			}
			line = append(line, cell{Text: text})
		}
		t.Rows = append(t.Rows, append(line, ratios(r.Promise)...))
	}
	return t, some
}

// needs returns the memory of a contestant, and the processor time of n operations.
func needs(c *summary.Contestant, n int) string {
	spent := time.Duration(c.Units[contest.CPU].Center * float64(n))
	return fmt.Sprintf("%.0f MiB %.2f s", c.Units[contest.RSS].Center/(1<<20), spent.Seconds())
}

func ratios(p *summary.Promise) []cell {
	toned := func(ratio float64, kept bool) cell {
		if kept {
			return cell{Text: times(ratio)}
		}
		return cell{times(ratio), bad}
	}
	return []cell{toned(p.MemoryRatio, p.MemoryKept), toned(p.TimeRatio, p.TimeKept), outcome(p)}
}

func outcome(p *summary.Promise) cell {
	switch {
	case p.Kept():
		return cell{"kept", good}
	case p.MemoryKept:
		return cell{"broken: time", bad}
	case p.TimeKept:
		return cell{"broken: memory", bad}
	}
	return cell{"broken: both", bad}
}

// promise is what octet promises.
var promise = fmt.Sprintf("The promise: at most %v times the memory of a sync.Pool, and %d MiB, and at most %v times its processor time, or %v where octet needs less than half of the memory.",
	summary.MemoryFactor, summary.MemoryExtra>>20, summary.TimeFactor, summary.SmallTimeFactor)
