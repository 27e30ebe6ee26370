package check

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/octet-go/octet/internal/finding"
	"github.com/octet-go/octet/internal/profile"
	"github.com/octet-go/octet/internal/rt"
)

// A Scope is a set of slices and objects that have to be released: those that are
// acquired from its beginning to its end, from one of its pools, or, if it has no
// pools, by goroutines with its label.
type Scope struct {
	from  time.Duration
	pools []uint64
	label rt.Label
	lost  []left // what was collected without being released; guarded by scopes
}

// A left is something that was acquired and not released.
type left struct {
	at time.Duration
	f  *finding.Report
}

// scopes are the scopes that have not ended. Its lock also keeps apart those who add a
// record to the table, take out what was collected, and drop all records. They go from
// region to region: a record could otherwise be dropped from its first region and then
// be added to its second.
var scopes struct {
	sync.Mutex
	list []*Scope
}

// maxLost bounds Scope.lost.
const maxLost = 1000

// NewScope begins a scope of the pools with these numbers. Without numbers it is a
// scope of all pools and of the goroutines that have the caller's label, or of all
// goroutines if the caller has none.
func NewScope(pools ...uint64) *Scope {
	s := &Scope{from: clock(), pools: pools, label: rt.CurrentLabel()}
	scopes.Lock()
	scopes.list = append(scopes.list, s)
	scopes.Unlock()
	return s
}

// End ends s.
func (s *Scope) End() {
	scopes.Lock()
	scopes.list = slices.DeleteFunc(scopes.list, func(x *Scope) bool { return x == s })
	scopes.Unlock()
}

func (s *Scope) has(r *record) bool {
	switch {
	case r.acquiredAt < s.from:
		return false
	case len(s.pools) > 0:
		return slices.Contains(s.pools, r.poolID)
	}
	return s.label == nil || r.label == s.label
}

// takeLostLocked gives f, the leak of r, to the scopes that r belongs to, and
// reports whether there are any. The caller holds scopes.
func takeLostLocked(r *record, f *finding.Report) (taken bool) {
	for _, s := range scopes.list {
		if s.has(r) {
			taken = true
			if len(s.lost) < maxLost {
				s.lost = append(s.lost, left{r.acquiredAt, f})
			}
		}
	}
	return taken
}

// Outstanding returns what belongs to the scope and is in use, or was collected
// without being released; oldest first.
func (s *Scope) Outstanding() []*finding.Report {
	scopes.Lock() // or it could miss what moves from the records to s.lost
	defer scopes.Unlock()
	found := slices.Clone(s.lost)
	epoch := load().epoch
	allRecords(func(r *record) {
		if r.stage == inUse && !r.owned && r.epoch == epoch && s.has(r) {
			found = append(found, left{r.acquiredAt, r.finding(finding.Leak, "never released", nil)})
		}
	})
	slices.SortFunc(found, func(a, b left) int { return cmp.Compare(a.at, b.at) })
	var list []*finding.Report
	for _, l := range found {
		list = append(list, l.f)
	}
	return list
}

// inProfile is the profile of what is in use. Where it cannot ask for samples, each
// slice is added by begin and removed by end, or when its record goes.
var inProfile *profile.Profile

func init() {
	inProfile = profile.Register("octet", notes, func() []profile.Sample {
		return samples(func(*record) bool { return true })
	})
}

// WriteProfile writes the profile of what is in use of one pool, as [profile.Write]
// does.
func WriteProfile(w io.Writer, debug int, o Owner) error {
	notes := append(notes(), fmt.Sprintf("Of one pool alone, with the name %q.", o.Name()))
	return profile.Write(w, debug, notes, samples(func(r *record) bool { return r.poolID == o.ID() }))
}

// notes returns what the profile shows at the moment, and why it may be empty.
func notes() []string {
	const what = "Slices of octet's pools that are in use, by where they were acquired."
	switch now := load(); now.Mode {
	case Off:
		return []string{what, "Empty: checking is off. Start the program with OCTETDEBUG=check=sample, or call checked.Start."}
	case Sample:
		return []string{what, fmt.Sprintf("Mode sample: one request in %d or fewer is tracked, and counts for all of its class that it stands for.", now.OneIn),
			"Not in it: the arrays of Buffers, and what was acquired before the mode began. Modes full and guard have the arrays."}
	default:
		return []string{what, fmt.Sprintf("Mode %v: every slice that was acquired since the mode began.", now.Mode)}
	}
}

// samples returns the memory in use, of the slices that count, by where it was
// acquired. The shard of their record is locked when counts is called. A sampled slice counts
// as all the requests that it represents. The array of a Buffer counts, if it is
// tracked, where the Buffer acquired it.
func samples(counts func(*record) bool) []profile.Sample {
	by := make(map[*stack]*profile.Sample)
	allRecords(func(r *record) {
		if r.stage != inUse || r.acquired == nil || r.object != "slice" || !counts(r) {
			return
		}
		s := by[r.acquired]
		if s == nil {
			s = &profile.Sample{Stack: r.acquired.pcs}
			by[r.acquired] = s
		}
		s.Count += int64(r.weight)
		s.Bytes += int64(r.weight) * int64(r.class)
	})
	var list []profile.Sample
	for _, s := range by {
		list = append(list, *s)
	}
	return list
}
