package advise

import (
	"cmp"
	"maps"
	"slices"

	"github.com/octet-go/octet/cmd/octet/internal/advise/cost"
	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/cmd/octet/internal/advise/source"
)

const (
	maxSites, maxDependencies = 10, 5
	// considered bounds the places whose source is looked at.
	considered = 200
	// negligible is the part of the allocated bytes below which a site is not worth a line.
	negligible = 0.002
	// little is the saving, in percent, below which a program is better left as it is.
	little = 5
	// few is the number of samples below which a profile is short, and idle the part of a processor below which a program is.
	few, idle = 300, 0.25
	// keeps is the part of what a site allocated that is in use, from which on its memory is said to be kept.
	keeps = 0.3
)

// Advice is what octet advise says.
type Advice struct {
	Verdict string  `json:"verdict"`
	Saves   *Saves  `json:"saves"`
	Unsure  *Saves  `json:"saves_more,omitempty"`         // if sites whose end is unknown could be pooled too
	Callers *Saves  `json:"saves_with_callers,omitempty"` // what sites save whose memory the callers of exported functions must release
	Bytes   float64 `json:"bytes_percent"`                // of allocated bytes, by all sites that Saves counts
	Sites   []*Site `json:"sites"`
	// Dependencies are sites of other modules, none of which Saves counts, and Elsewhere is what pools there would save.
	Dependencies []*Site   `json:"dependencies,omitempty"`
	Elsewhere    *Saves    `json:"saves_in_dependencies,omitempty"`
	Weak         string    `json:"weak_profile,omitempty"` // why the profile says little
	Measured     *Measured `json:"measured,omitempty"`     // what benchmarks took, for --compare
	NotRun       string    `json:"not_run,omitempty"`      // which benchmarks there was no time for
}

// Saves is processor time that pooling saves, in percent: as profiled, and with a large heap.
type Saves struct {
	cost.Range
	LargeHeap *cost.Range `json:"large_heap,omitempty"` // nil if the profile of that run has no such allocation
}

// A Site is a place where the program allocates bytes.
type Site struct {
	source.Site
	Bytes   float64     `json:"bytes"`
	Objects float64     `json:"objects"`
	Saves   *Saves      `json:"saves"`
	Costs   *cost.Parts `json:"costs"`
	use     uses
	percent float64 // of the allocated bytes
}

// uses are what is allocated in the profile as it is, and in that with a large heap.
type uses [2]cost.Use

func (u *uses) add(v uses) {
	for i := range u {
		u[i].Add(v[i])
	}
}

// middle returns the middle of what is saved, or 0 if that is not known.
func (r *Saves) middle() float64 {
	if r == nil {
		return 0
	}
	return (r.Low + r.High) / 2
}

// most returns what it saves at most, whatever the heap.
func (r *Saves) most() float64 {
	if r.LargeHeap == nil {
		return r.High
	}
	return max(r.High, r.LargeHeap.High)
}

// A place is an allocation as profiles tell them apart: where in the module, what it calls there, and what in the
// end allocates.
type place struct {
	profiles.Frame
	callee, allocator string
	foreign           profiles.Frame // of another module, if that is what allocates
}

type group struct {
	use   uses
	stack profiles.Stack // that allocates most there
	most  float64
}

// A run is the profiles of one run, added up.
type run struct {
	time      *cost.Time
	allocated float64
}

// advise analyses the profiles.
func advise(tree *source.Tree, runs *profiles.Runs, machine *cost.Machine) (*Advice, error) {
	set, large := runs.Own, runs.Large
	groups := make(map[place]*group)
	e := estimator{machine: machine}
	e.runs[0] = collect(tree, groups, set, 0)
	if large != nil {
		e.runs[1] = collect(tree, groups, large, 1)
	}
	if !shows(set, tree) {
		return nil, foreign(tree, set)
	}
	sites := explain(tree, groups)
	e.compare(set, large != nil, sites)
	for _, s := range sites {
		s.Saves, s.Costs = e.saves(s.use)
	}
	slices.SortStableFunc(sites, func(a, b *Site) int {
		return cmp.Or(cmp.Compare(b.Saves.middle(), a.Saves.middle()), cmp.Compare(b.Bytes, a.Bytes))
	})
	sites = slices.DeleteFunc(sites, func(s *Site) bool { return s.Bytes < negligible*e.runs[0].allocated })
	own, others := []*Site{}, []*Site(nil)
	for _, s := range sites {
		if s.Ends == source.Dependency {
			others = append(others, s)
		} else {
			own = append(own, s)
		}
	}
	own = own[:min(len(own), maxSites)]
	slices.SortStableFunc(own, func(a, b *Site) int { return cmp.Compare(rank[a.Ends], rank[b.Ends]) })
	a := &Advice{Sites: own, Dependencies: others[:min(len(others), maxDependencies)],
		Weak: weak(set), NotRun: notRun(runs.NotRun), Measured: measured(runs)}
	a.sum(&e)
	a.Verdict = a.verdict()
	return a, nil
}

// rank puts sites that the module can change by itself before those that it cannot.
var rank = map[source.Ends]int{source.Callers: 1, source.Unknown: 2, source.Kept: 3}

// shows reports whether the profiles have anything of the module.
func shows(set *profiles.Set, tree *source.Tree) bool {
	mine := func(s profiles.Stack) bool { return tree.First(s) >= 0 }
	return slices.ContainsFunc(set.Allocs, func(a profiles.Allocation) bool { return mine(a.Stack) }) ||
		slices.ContainsFunc(set.CPU, func(s profiles.Sample) bool { return mine(s.Stack) })
}

// collect adds a set of profiles to the groups.
func collect(tree *source.Tree, groups map[place]*group, set *profiles.Set, heap int) (r run) {
	groupOf := func(s profiles.Stack) *group {
		var at place
		k, foreign := tree.First(s), tree.Foreign(s)
		if k < 0 && foreign < 0 {
			return nil
		}
		if k >= 0 {
			at.Frame = s[k]
		}
		if k > 0 {
			at.callee, at.allocator = s[k-1].Func, s[0].Func
		}
		if foreign >= 0 {
			at.foreign = s[foreign]
		}
		g := groups[at]
		if g == nil {
			g = new(group)
			groups[at] = g
		}
		return g
	}
	for _, alloc := range set.Allocs {
		r.allocated += alloc.Bytes
		if g := groupOf(alloc.Stack); g != nil {
			g.use[heap].Add(cost.Use{Bytes: alloc.Bytes, Objects: alloc.Objects, InUse: alloc.InUse})
			if alloc.Bytes > g.most {
				g.stack, g.most = alloc.Stack, alloc.Bytes
			}
		}
	}
	r.time = cost.Measure(set, func(s profiles.Stack, nanos float64) {
		if g := groupOf(s); g != nil {
			g.use[heap].Direct += nanos
		}
	})
	return r
}

// explain looks at the source of the groups that allocate most, and joins those of one site.
func explain(tree *source.Tree, groups map[place]*group) (all []*Site) {
	order := slices.SortedFunc(maps.Keys(groups), func(a, b place) int {
		return cmp.Or(cmp.Compare(groups[b].use[0].Bytes, groups[a].use[0].Bytes), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, at := range order[:min(len(order), considered)] {
		g := groups[at]
		if g.stack == nil {
			continue // it only took time
		}
		var s *source.Site
		if k := tree.First(g.stack); k >= 0 {
			s = tree.Explain(g.stack, k)
		}
		if s == nil {
			s = tree.Dependency(g.stack)
		}
		if s == nil {
			continue
		}
		i := slices.IndexFunc(all, func(t *Site) bool { return t.File == s.File && t.Line == s.Line && t.What == s.What })
		if i < 0 {
			i = len(all)
			all = append(all, &Site{Site: *s})
		}
		all[i].use.add(g.use)
	}
	return slices.DeleteFunc(all, func(s *Site) bool {
		s.Bytes, s.Objects = s.use[0].Bytes, s.use[0].Objects
		kept := s.use[0].InUse > keeps*s.Bytes && s.Bytes > 1<<20
		if kept && s.Ends != source.Dependency {
			s.Ends, s.Advice = source.Kept, "leave it: its memory stays in use"
		}
		return kept && s.Ends == source.Dependency
	})
}

// An estimator says what sites cost and save: as profiled, and with a large heap.
type estimator struct {
	runs    [2]run
	machine *cost.Machine
	large   bool // the heap is large as it is
}

// compare prepares the run with a large heap. If there was none, it is what the other one would be.
func (e *estimator) compare(set *profiles.Set, ran bool, sites []*Site) {
	own, large := &e.runs[0], &e.runs[1]
	if ran {
		own.time.Compare(large.time, own.allocated/large.allocated)
		return
	}
	heap := between(set)
	e.large = heap > cost.LargeHeap/4
	*large = run{own.time.Scale(min(1, heap/cost.LargeHeap)), own.allocated}
	for _, s := range sites {
		s.use[1] = s.use[0]
	}
}

// saves returns what a use costs and saves.
func (e *estimator) saves(use uses) (*Saves, *cost.Parts) {
	parts, own := e.runs[0].time.Of(use[0], e.runs[0].allocated, e.machine, e.large)
	saves := &Saves{Range: own}
	if use[1].Bytes > 0 || use[0].Bytes == 0 {
		_, large := e.runs[1].time.Of(use[1], e.runs[1].allocated, e.machine, true)
		saves.LargeHeap = &large
	}
	return saves, &parts
}

// sum says what the sites save together.
func (a *Advice) sum(e *estimator) {
	var sure, callers, unsure, others uses
	for _, s := range slices.Concat(a.Sites, a.Dependencies) {
		s.percent = 100 * s.Bytes / e.runs[0].allocated
		switch s.Ends {
		case source.Here, source.Elsewhere:
			sure.add(s.use)
			a.Bytes += s.percent
		case source.Callers:
			callers.add(s.use)
		case source.Unknown:
			unsure.add(s.use)
		case source.Dependency:
			others.add(s.use)
		}
	}
	a.Saves, _ = e.saves(sure)
	a.Callers, _ = e.saves(callers)
	a.Unsure, _ = e.saves(unsure)
	if len(a.Dependencies) > 0 {
		a.Elsewhere, _ = e.saves(others)
	}
}

// between returns the bytes that the program allocates between two collections, if GOGC is 100.
func between(set *profiles.Set) float64 {
	live := 0.0
	for _, a := range set.Allocs {
		live += a.InUse
	}
	return max(live, 4<<20)
}
