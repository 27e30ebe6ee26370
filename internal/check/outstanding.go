package check

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/rt"
)

// A Scope is a set of slices and objects that have to be released: those that are
// acquired from its beginning to its end, from one of its pools, or, if it has no
// pools, by goroutines with its label and by the one that began it.
type Scope struct {
	from      uint64 // the latest record.serial when it began
	pools     []uint64
	label     rt.Label
	goroutine int64
	lost      leaks // what was collected without being released; guarded by scopes
}

// leaks are what was acquired and not released, by cause.
type leaks map[string]leak

// A leak is what one place left: the oldest, and how many there are.
type leak struct {
	serial uint64 // of its record
	oldest *finding.Report
	count  int
}

// add adds f, unless there are too many causes.
func (l leaks) add(serial uint64, f *finding.Report) {
	key := causeOf(f)
	x, known := l[key]
	if !known && len(l) >= maxCauses {
		return
	}
	if !known || serial < x.serial {
		x.serial, x.oldest = serial, f
	}
	x.count++
	l[key] = x
}

// scopes are those that have not ended. The lock also keeps apart those who add a
// record to the table, take out what was collected, and drop all records. They go from
// region to region: a record could otherwise be dropped from its first region and then
// be added to its second.
var scopes struct {
	sync.Mutex
	list []*Scope
}

// NewScope begins a scope of the pools with these numbers. Without numbers it is a
// scope of all pools and of the goroutines that have the caller's label, or of all
// goroutines if the caller has none.
func NewScope(pools ...uint64) *Scope {
	s := &Scope{from: serials.Load(), pools: pools, label: rt.CurrentLabel(), goroutine: rt.Goroutine(), lost: make(leaks)}
	changeScopes(func(list []*Scope) []*Scope { return append(list, s) })
	return s
}

func changeScopes(f func([]*Scope) []*Scope) {
	all := &scopes
	all.Lock()
	defer all.Unlock()
	all.list = f(all.list)
	var labels []rt.Label
	for _, s := range all.list {
		if len(s.pools) == 0 && s.label != nil {
			labels = append(labels, s.label)
		}
	}
	scopeLabels.Store(&labels)
}

// End ends s.
func (s *Scope) End() {
	changeScopes(func(list []*Scope) []*Scope { return slices.DeleteFunc(list, func(x *Scope) bool { return x == s }) })
}

func (s *Scope) has(r *record) bool {
	switch {
	case r.serial <= s.from:
		return false
	case len(s.pools) > 0:
		return slices.Contains(s.pools, r.poolID)
	}
	return s.label == nil || r.label == s.label || r.goroutine == s.goroutine && r.goroutine != 0
}

// takeLostLocked gives f, the leak of r, to the scopes that r belongs to, and
// reports whether there are any. The caller holds scopes.
func takeLostLocked(r *record, f *finding.Report) (taken bool) {
	for _, s := range scopes.list {
		if s.has(r) {
			taken = true
			s.lost.add(r.serial, f)
		}
	}
	return taken
}

// Outstanding returns what belongs to the scope and is in use, or was collected
// without being released: the oldest of each cause, with the Count of all; the oldest
// cause first.
func (s *Scope) Outstanding() (list []*finding.Report) {
	scopes.Lock() // or it could miss what moves from the records to s.lost
	defer scopes.Unlock()
	all := make(leaks)
	maps.Copy(all, s.lost)
	epoch := load().epoch
	allRecords(func(r *record) {
		if r.stage == inUse && !r.owned && r.epoch == epoch && s.has(r) {
			all.add(r.serial, r.finding(finding.Leak, "never released", nil))
		}
	})
	for _, x := range slices.SortedFunc(maps.Values(all), func(a, b leak) int { return cmp.Compare(a.serial, b.serial) }) {
		f := *x.oldest
		f.Count = x.count
		list = append(list, &f)
	}
	return list
}

// forget empties quarantine and drops all records. It returns the misuses that this brings
// to light.
func forget() (found []*finding.Report) {
	found = drain()
	scopes.Lock() // or a record that is being added could stay in one of its regions
	defer scopes.Unlock()
	dropRecords()
	return found
}

// Notes returns what the profile of InUse shows at the moment, and why it may be empty.
func Notes() []string {
	const what = "Slices of octet's pools that are in use, by where they were acquired."
	switch now := load(); now.Mode {
	case Off:
		return []string{what, "Empty: checking is off. Start the program with OCTETDEBUG=check=sample, or call checked.Start."}
	case Sample:
		return []string{what, "Mode sample: one request in " + strconv.Itoa(now.OneIn) + " or fewer is tracked, and counts for all of its class that it stands for.",
			"Not in it: the arrays of Buffers, and what was acquired before the mode began. Modes full and guard have the arrays."}
	default:
		return []string{what, "Mode " + now.Mode.String() + ": every slice that was acquired since the mode began."}
	}
}

// An Amount is a number of slices that were acquired at one stack.
type Amount struct {
	Stack []uintptr // as runtime.Callers returns it
	Count int64     // slices
	Bytes int64     // their memory
}

// InUse returns the memory in use by where it was acquired, of one pool or, if o is
// nil, of all. Several may have equal stacks. A sampled slice counts as all the requests
// that it represents. The array of a Buffer counts, if it is tracked, where the Buffer
// acquired it.
func InUse(o Owner) (list []Amount) {
	by := make(map[*stack]int) // index in list
	allRecords(func(r *record) {
		if r.stage != inUse || r.acquired == nil || r.kind != Slice || o != nil && r.poolID != o.ID() {
			return
		}
		i, known := by[r.acquired]
		if !known {
			i = len(list)
			by[r.acquired] = i
			list = append(list, Amount{Stack: r.acquired.trace()})
		}
		list[i].Count += int64(r.weight)
		list[i].Bytes += int64(r.weight) * int64(r.size)
	})
	return list
}
