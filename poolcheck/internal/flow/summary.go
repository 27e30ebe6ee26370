package flow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A Summary is what callers need to know of a function. Inputs are named by
// paths: "1" is the second parameter, "0/.B" what the field B of the struct
// behind the first one held when the call began.
type Summary struct {
	Outcomes []Outcome
	Used     []string // inputs that are read or written
	Opaque   bool     // calls code that nobody has seen
}

// An Outcome is one way in which a function may end.
type Outcome struct {
	When    []Condition // what held when it began
	Deeds   []Deed
	Stores  []Store
	Results []Desc
}

// A Condition says what is known of an input.
type Condition struct {
	Path  string
	Known string
}

// A Deed is something that a function does to an input.
type Deed struct {
	Op     api.Op // Release, Consume, Keep, Opaque, Share
	Path   string
	Rel    uint8
	Family string
	Pool   string
	// Each says that what is released are all elements of the input, a slice.
	Each bool
	// Doubt says that another outcome, which callers cannot tell from this
	// one, leaves the input alone.
	Doubt bool
	// Lent says of an Opaque that only calls of unknown code have had the input: if
	// callers release it after the call, those have borrowed it.
	Lent bool
	// As is the type that an input of an interface type has if it is released, "" for all.
	As string
	// Into is the path of the input that a Keep has put it into, "" if it is not one input.
	Into string
}

// A Store is a cell of an input that a function has written.
type Store struct {
	Path, Cell string
	Value      Desc
	Stale      bool
}

// A Desc describes a value to a caller.
type Desc struct {
	Known string // "nil", "!nil", or a constant
	Refs  []DescRef
	Own   string // the family of a new acquisition
	Pool  string
	from  *pool // nil if another package has acquired it
	Dirty bool
	// List says that it is a list of memory that is to be released.
	List bool
	// Lent says that a function among the results may release it.
	Lent  bool
	Cells []DescCell // of a new object
	Parts []DescCell // of a struct
}

// A DescRef is a ref to an input.
type DescRef struct {
	Path, Cell string
	Rel        uint8
	Cut        bool
}

// A DescCell is a cell of a new object, or a field of a struct.
type DescCell struct {
	Path  string
	Value Desc
}

const maxOutcomes = 32

// gives reports whether the function may release its input k.
func (sum *Summary) gives(k int) bool {
	return slices.ContainsFunc(sum.Outcomes, func(out Outcome) bool {
		return slices.ContainsFunc(out.Deeds, func(d Deed) bool { return d.Op == api.Release && d.Path == strconv.Itoa(k) })
	})
}

// givesInside reports whether the function may release something that its input k leads to.
func (sum *Summary) givesInside(k int) bool {
	return slices.ContainsFunc(sum.Outcomes, func(out Outcome) bool {
		return slices.ContainsFunc(out.Deeds, func(d Deed) bool {
			return d.Op == api.Release && strings.HasPrefix(d.Path, strconv.Itoa(k)+"/")
		})
	})
}

func (k known) String() string {
	switch k.kind {
	case isNil:
		return "nil"
	case nonNil:
		return "!nil"
	case isConst:
		return k.val
	}
	return ""
}

func parseKnown(s string) known {
	switch s {
	case "":
		return known{}
	case "nil":
		return knownNil
	case "!nil":
		return knownNonNil
	}
	return known{isConst, s}
}

// inputPath returns the path of o if it is an input of the function, or
// something found in one, "" otherwise.
func (e *explorer) inputPath(s *state, o *object) string {
	if o.age != 0 {
		return ""
	}
	if o.parent != nil {
		p := e.inputPath(s, o.parent)
		if p == "" {
			return ""
		}
		return p + "/" + o.path
	}
	if p, ok := o.site.(*ssa.Parameter); ok && p.Parent() == e.fn {
		return strconv.Itoa(slices.Index(e.fn.Params, p))
	}
	return ""
}

// summarize returns what callers need to know, nil if there is too much.
func (e *explorer) summarize(exits []exit) *Summary {
	if e.tooMany {
		return nil
	}
	sum := &Summary{Opaque: e.opaque}
	for p := range e.used {
		sum.Used = append(sum.Used, p)
	}
	slices.Sort(sum.Used)
	byKey := make(map[string]int)
	for _, x := range exits {
		out := e.outcome(x)
		key := fmt.Sprintf("%v|%v|%v", out.Deeds, out.Stores, out.Results)
		if i, ok := byKey[key]; ok {
			old := &sum.Outcomes[i]
			old.When = slices.DeleteFunc(old.When, func(c Condition) bool { return !slices.Contains(out.When, c) })
			continue
		}
		byKey[key] = len(sum.Outcomes)
		sum.Outcomes = append(sum.Outcomes, out)
		if len(sum.Outcomes) > maxOutcomes {
			return nil
		}
	}
	sum.weigh(e.fn)
	return sum
}

// weigh marks what some outcome releases, or gives to code that may, and
// another, which callers cannot tell from it, does not: whether the release
// happens is the function's own business, not a path that its callers forgot.
func (sum *Summary) weigh(fn *ssa.Function) {
	for i := range sum.Outcomes {
		for k := range sum.Outcomes[i].Deeds {
			d := &sum.Outcomes[i].Deeds[k]
			if d.Op != api.Release && d.Op != api.Opaque && d.Op != api.Doubt {
				continue
			}
			for j := range sum.Outcomes {
				o := &sum.Outcomes[j]
				about := slices.IndexFunc(o.Deeds, func(x Deed) bool { return x.Path == d.Path })
				switch {
				case slices.Contains(o.When, Condition{d.Path, "nil"}) || !sum.Outcomes[i].looksLike(*o):
				case d.Op == api.Release && about >= 0 && o.Deeds[about].Lent:
					o.Deeds[about].Lent = false // who releases it elsewhere has a reason not to
				case about < 0 && d.Op == api.Opaque:
					o.Deeds = append(o.Deeds, *d)
				case d.Op == api.Opaque:
				case about < 0:
					o.Deeds = append(o.Deeds, Deed{Op: api.Doubt, Path: d.Path})
					d.Doubt = !takesBackInput(fn, d.Path)
				case o.Deeds[about].Op == api.Doubt:
					d.Doubt = !takesBackInput(fn, d.Path)
				}
			}
		}
	}
}

// takesBackInput reports whether fn takes back the input at path, a parameter, by its name.
func takesBackInput(fn *ssa.Function, path string) bool {
	i := inputIndex(path)
	return !strings.Contains(path, "/") && i < len(fn.Params) && endsByName(fn, fn.Params[i].Type())
}

// looksLike reports whether callers cannot tell o from p by its results, nor
// by an argument that is no pointer.
func (o Outcome) looksLike(p Outcome) bool {
	for _, c := range p.When {
		if !strings.Contains(c.Path, "/") && c.Known != "nil" && c.Known != "!nil" {
			return false
		}
	}
	return slices.EqualFunc(o.Results, p.Results, func(a, b Desc) bool {
		return a.Known == b.Known || a.Known == "" || b.Known == ""
	})
}

// outcome describes one exit.
func (e *explorer) outcome(x exit) Outcome {
	s := x.state
	var out Outcome
	for _, o := range sortedObjects(s.known) {
		if p := e.inputPath(s, o); p != "" {
			out.When = append(out.When, Condition{p, s.known[o].String()})
		}
	}
	for _, o := range sortedObjects(s.status) {
		p := e.inputPath(s, o)
		if p == "" {
			continue
		}
		st := s.status[o]
		d := Deed{Path: p, Rel: uint8(whole)}
		switch {
		case st.rider:
			continue // follows from the release of what it is inside of
		case st.phase == released || st.phase == handed:
			d.Op, d.Family, d.Pool = api.Release, st.family, global(st.pool)
			d.Rel = uint8(st.rel)
			if st.as != nil {
				d.As = st.as.String()
			}
		case st.phase == moved:
			d.Op = api.Consume
		case st.phase == gone && e.frees[o] > 0:
			d.Op = api.Doubt // a callee has released it, or not: that is its own business
		case st.phase == gone || st.phase == sent || len(st.tasks) > 0:
			d.Op = api.Opaque
		case st.owners > 0:
			d.Op = api.Share
		case st.many:
			d.Op = api.ShareAny
		case e.kept(s, o, st):
			d.Op, d.Into = api.Keep, e.keeper(s, o, st)
		case st.shared():
			d.Op, d.Lent = api.Opaque, !st.escaped && !st.judged
		case st.judged:
			d.Op = api.Weigh
		default:
			continue
		}
		out.Deeds = append(out.Deeds, d)
	}
	// A loop that gives away the elements of a list may have none to run for.
	for _, o := range sortedObjects(e.lists) {
		if p := e.inputPath(s, o); p != "" && s.status[o].each.valid() {
			out.Deeds = append(out.Deeds, Deed{Op: api.Release, Path: p, Each: true})
		} else if p != "" {
			out.Deeds = append(out.Deeds, Deed{Op: api.Opaque, Path: p})
		}
	}
	// What is inside goes before what it is inside of.
	slices.SortStableFunc(out.Deeds, func(a, b Deed) int {
		return strings.Count(b.Path, "/") - strings.Count(a.Path, "/")
	})
	lent := e.captives(s, x.results)
	for _, c := range sortedCells(s.mem) {
		p := e.inputPath(s, c.obj)
		if p == "" || c.path == "held" || strings.Contains(c.path, "[") {
			continue
		}
		v := s.mem[c]
		if v.stale {
			out.Stores = append(out.Stores, Store{Path: p, Cell: c.path, Stale: true})
		} else if s.stored[c] {
			out.Stores = append(out.Stores, Store{Path: p, Cell: c.path, Value: e.describe(s, v, lent, 0)})
		}
	}
	for i, v := range x.results {
		d := Desc{}
		if t := x.ret.Results[i].Type(); carries(t) || isScalar(t) || isError(t) {
			d = e.describe(s, v, lent, 0)
		}
		out.Results = append(out.Results, d)
	}
	return out
}

// captives returns what the function literals and bound methods among vs have
// captured.
func (e *explorer) captives(s *state, vs []value) map[*object]bool {
	captives := make(map[*object]bool)
	for _, v := range vs {
		e.eachReached(s, v, func(f ref) {
			if _, closure := f.obj.site.(*ssa.MakeClosure); closure {
				e.eachReached(s, to(f.obj), func(r ref) { captives[r.obj] = true })
			}
		})
	}
	return captives
}

// kept reports whether o was stored where it outlives the call, other than in
// a field of an input: such a store is described for itself.
func (e *explorer) kept(s *state, o *object, st status) bool {
	for _, x := range st.escapes {
		if x.cell.obj != nil && e.inputPath(s, x.cell.obj) != "" {
			continue
		}
		if e.stillThere(s, o, x) {
			return true
		}
	}
	return false
}

// keeper returns the path of the one input that o was stored in, where that outlives the
// call, "" if there is no such input.
func (e *explorer) keeper(s *state, o *object, st status) string {
	path := ""
	for _, x := range st.escapes {
		if x.cell.obj != nil && e.inputPath(s, x.cell.obj) != "" || !e.stillThere(s, o, x) {
			continue
		}
		if x.into == nil {
			return ""
		}
		p := e.inputPath(s, x.into)
		if p == "" || path != "" && p != path {
			return ""
		}
		path = p
	}
	return path
}

// describe describes v to callers. lent is what a function that they get may
// release.
func (e *explorer) describe(s *state, v value, lent map[*object]bool, depth int) Desc {
	d := Desc{Known: s.knownOf(v).String()}
	for _, k := range sortedKeys(v.sub) {
		if depth < 3 {
			if sub := e.describe(s, v.sub[k], lent, depth+1); !sub.empty() {
				d.Parts = append(d.Parts, DescCell{k, sub})
			}
		}
	}
	for _, x := range v.refs {
		if p := e.inputPath(s, x.obj); p != "" {
			d.Refs = append(d.Refs, DescRef{p, x.path, uint8(x.rel), x.cut})
			continue
		}
		from := x.obj
		if inBox(from) {
			from = from.parent
		}
		st := s.status[from]
		if o := from; v.memory() == x.obj && o.acq != nil && !o.isList() && st.phase == live && st.owned && !st.stored() {
			d.Own, d.Pool, d.Dirty, d.Lent = o.acq.family.Name, global(st.origin), o.acq.dirty && st.fill != clean, lent[o]
			d.from = o.acq.pool.find()
			continue
		}
		if x.obj.isList() && st.phase == live && st.owned {
			d.List = true
		}
		if x.obj.kind == localObject && depth < 2 {
			for _, path := range s.cells(x.obj) {
				if path == "*" || strings.Contains(path, "[") {
					continue
				}
				if sub := e.describe(s, s.mem[cell{x.obj, path}], lent, depth+1); !sub.empty() {
					d.Cells = append(d.Cells, DescCell{path, sub})
				}
			}
		}
	}
	return d
}

func (d Desc) empty() bool {
	return d.Known == "" && len(d.Refs) == 0 && d.Own == "" && !d.List && len(d.Cells) == 0 && len(d.Parts) == 0
}

// stored reports whether somebody beside the holder of the reference may
// release the memory.
func (st status) stored() bool { return st.shared() || st.many }
