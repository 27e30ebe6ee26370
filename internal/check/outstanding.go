package check

import (
	"cmp"
	"slices"
	"time"

	"github.com/octet-go/octet/internal/profile"
	"github.com/octet-go/octet/internal/report"
)

// A Scope says which slices and objects somebody answers for: those that were
// acquired after it was made, from one of its pools, or if it has none by the
// goroutines that have its label.
type Scope struct {
	from  time.Duration
	pools []uint64
	label label
}

// NewScope returns the scope of pools with the given numbers, or without any
// that of the caller's label, which is every goroutine's if the caller has none.
func NewScope(pools ...uint64) Scope {
	return Scope{from: now(), pools: pools, label: currentLabel()}
}

func (s Scope) has(r *record) bool {
	switch {
	case r.acquiredAt < s.from:
		return false
	case len(s.pools) > 0:
		return slices.Contains(s.pools, r.poolID)
	}
	return s.label == nil || r.label == s.label
}

// Outstanding returns what is in use within the scope, oldest first, as leaks.
func (s Scope) Outstanding() []*report.Report {
	var found []*report.Report
	allRecords(func(r *record) {
		if r.state == inUse && !r.owned && s.has(r) {
			found = append(found, r.finding(report.Leak, "never released", nil))
		}
	})
	slices.SortFunc(found, func(a, b *report.Report) int { return cmp.Compare(b.Age, a.Age) })
	return found
}

func init() {
	profile.Register("octet", "slices of octet's pools that are in use, if they are checked", samples)
}

// samples returns the memory in use by where it was acquired. What a Buffer has
// counts where the Buffer got it.
func samples() []profile.Sample {
	by := make(map[*stack]*profile.Sample)
	allRecords(func(r *record) {
		if r.state != inUse || r.acquired == nil || r.object != "slice" {
			return
		}
		s := by[r.acquired]
		if s == nil {
			s = &profile.Sample{Stack: r.acquired.pcs}
			by[r.acquired] = s
		}
		s.Count++
		s.Bytes += int64(r.size)
	})
	scale := 1.0
	if Current() == Sample {
		if p := Probability(); p > 0 {
			scale = 1 / p
		}
	}
	var list []profile.Sample
	for _, s := range by {
		s.Count = int64(float64(s.Count)*scale + 0.5)
		s.Bytes = int64(float64(s.Bytes)*scale + 0.5)
		list = append(list, *s)
	}
	return list
}
