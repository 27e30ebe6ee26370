package summary

import (
	"golang.org/x/perf/benchmath"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A Verdict says how octet compares on the rows of a group that count: those
// without an Aside in which octet has a ratio to a rival.
type Verdict struct {
	Group string `json:"group"`

	// The number of rows in which octet is better than the best rival, level with it, or
	// worse, see [Clear]. Level rows whose interval is wide are unclear instead.
	Faster  int `json:"faster"`
	Level   int `json:"level"`
	Slower  int `json:"slower"`
	Unclear int `json:"unclear"`

	// Typical is the median of the rows' ratios. Unlike a mean, it does not
	// depend on how extreme a single row is.
	Typical float64 `json:"typical_ratio"`

	// Worst is the row with the highest ratio, and SlowerRows are those that Slower counts.
	Worst      Comparison   `json:"worst"`
	SlowerRows []Comparison `json:"slower_rows,omitempty"`

	// Kept is the number of rows in which octet keeps its promise, and Broken has the
	// others. They are not among those above.
	Kept   int       `json:"promise_kept,omitempty"`
	Broken []Promise `json:"promise_broken,omitempty"`

	// Aside is the number of rows that do not count.
	Aside int `json:"not_counted,omitempty"`
}

// A Comparison is how octet did on a row.
type Comparison struct {
	Row   string  `json:"row"`
	Rival string  `json:"rival"` // the best
	Ratio float64 `json:"ratio"`
	By    float64 `json:"by"` // octet's median less the rival's
	Unit  string  `json:"unit"`
}

// Rows returns the number of rows that count by their ratios.
func (v *Verdict) Rows() int { return v.Faster + v.Level + v.Slower + v.Unclear }

// Promises returns the number of rows that count by octet's promise.
func (v *Verdict) Promises() int { return v.Kept + len(v.Broken) }

// Judge returns the verdict on a group's rows.
func Judge(group string, rows []Row) Verdict {
	v := Verdict{Group: group}
	var ratios []float64
	for i := range rows {
		r := &rows[i]
		if p := r.Promise; p != nil {
			if p.Kept() {
				v.Kept++
			} else {
				v.Broken = append(v.Broken, *p)
			}
			continue
		}
		ratio := r.Ours()
		if ratio == nil || r.Aside != "" {
			v.Aside++
			continue
		}
		here := r.compare(ratio)
		switch side := Clear(ratio); {
		case side < 0:
			v.Faster++
		case side > 0:
			v.Slower++
			v.SlowerRows = append(v.SlowerRows, here)
		case Wide(ratio):
			v.Unclear++
			continue
		default:
			v.Level++
		}
		if ratio.Center > v.Worst.Ratio {
			v.Worst = here
		}
		ratios = append(ratios, ratio.Center)
	}
	if len(ratios) > 0 {
		v.Typical = contest.Median(ratios).Center
	}
	return v
}

// Unclear reports whether the row's samples cannot tell whether octet is better.
func (r *Row) Unclear() bool {
	ratio := r.Ours()
	return ratio != nil && Clear(ratio) == 0 && Wide(ratio)
}

// Ours returns octet's ratio to the best rival, or nil if there is none.
func (r *Row) Ours() *benchmath.Summary {
	if c := r.Octet(); c != nil {
		return c.Ratio
	}
	return nil
}

// Octet returns octet's contestant, the best if it has several, or nil if none has a ratio.
func (r *Row) Octet() (best *Contestant) {
	for i := range r.Contestants {
		c := &r.Contestants[i]
		if c.Ours && c.Ratio != nil && (best == nil || c.Ratio.Center < best.Ratio.Center) {
			best = c
		}
	}
	return best
}

// Named returns the contestant of that name, or nil.
func (r *Row) Named(name string) *Contestant {
	for i := range r.Contestants {
		if r.Contestants[i].Name == name {
			return &r.Contestants[i]
		}
	}
	return nil
}

// compare returns how octet, with that ratio, did on the row.
func (r *Row) compare(ratio *benchmath.Summary) Comparison {
	by := r.Octet().Units[r.Unit].Center - r.Named(r.Best).Units[r.Unit].Center
	return Comparison{r.Name, r.Best, ratio.Center, by, r.Unit}
}
