package summary

import "golang.org/x/perf/benchmath"

// A Verdict says how octet compares on the rows of a group that count: those
// without an Aside in which octet has a ratio to a rival.
type Verdict struct {
	Group string `json:"group"`

	// The number of rows in which the interval of octet's ratio lies below
	// 1, contains 1, or lies above 1; those in which it contains 1 and is wide are
	// unclear instead.
	Faster  int `json:"faster"`
	Level   int `json:"level"`
	Slower  int `json:"slower"`
	Unclear int `json:"unclear"`

	// Typical is the median of the rows' ratios. Unlike a mean, it does not
	// depend on how extreme a single row is.
	Typical float64 `json:"typical_ratio"`

	// Worst is the row with the highest ratio.
	Worst WorstRow `json:"worst"`

	// Kept is the number of rows in which octet keeps its promise, and Broken has the
	// others. They are not among those above.
	Kept   int       `json:"promise_kept,omitempty"`
	Broken []Promise `json:"promise_broken,omitempty"`

	// Aside is the number of rows that do not count.
	Aside int `json:"not_counted,omitempty"`
}

// A WorstRow is the row on which octet did worst.
type WorstRow struct {
	Row   string  `json:"row"`
	Rival string  `json:"rival"`
	Ratio float64 `json:"ratio"`
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
		switch side := Clear(ratio); {
		case side < 0:
			v.Faster++
		case side > 0:
			v.Slower++
		case Wide(ratio):
			v.Unclear++
			continue
		default:
			v.Level++
		}
		if ratio.Center > v.Worst.Ratio {
			v.Worst = WorstRow{r.Name, r.Best, ratio.Center}
		}
		ratios = append(ratios, ratio.Center)
	}
	if len(ratios) > 0 {
		v.Typical = Median(ratios).Center
	}
	return v
}

// Unclear reports whether the row's samples cannot tell whether octet is better.
func (r *Row) Unclear() bool {
	ratio := r.Ours()
	return ratio != nil && Clear(ratio) == 0 && Wide(ratio)
}

// Ours returns octet's ratio to the best rival, or nil if there is none. If
// octet has several contestants, the best of them counts.
func (r *Row) Ours() *benchmath.Summary {
	var best *benchmath.Summary
	for i := range r.Contestants {
		c := &r.Contestants[i]
		if c.Ours && c.Ratio != nil && (best == nil || c.Ratio.Center < best.Center) {
			best = c.Ratio
		}
	}
	return best
}
