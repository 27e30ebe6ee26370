package flow

import (
	"fmt"
	"go/token"
	"go/types"
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
	Joins    bool     // waits for other goroutines
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
	// Doubt says that another outcome, which callers cannot tell from this
	// one, leaves the input alone.
	Doubt bool
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
	Dirty bool
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

const maxOutcomes = 12

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
	sum.weigh()
	return sum
}

// weigh marks what some outcome releases and another, which callers cannot
// tell from it, does not: whether the release happens is the function's own
// business, not a path that its callers forgot.
func (sum *Summary) weigh() {
	for i := range sum.Outcomes {
		for k := range sum.Outcomes[i].Deeds {
			d := &sum.Outcomes[i].Deeds[k]
			if d.Op != api.Release {
				continue
			}
			for j := range sum.Outcomes {
				o := &sum.Outcomes[j]
				about := slices.IndexFunc(o.Deeds, func(x Deed) bool { return x.Path == d.Path })
				switch {
				case slices.Contains(o.When, Condition{d.Path, "nil"}) || !sum.Outcomes[i].looksLike(*o):
				case about < 0:
					o.Deeds = append(o.Deeds, Deed{Op: api.Doubt, Path: d.Path})
					d.Doubt = true
				case o.Deeds[about].Op == api.Doubt:
					d.Doubt = true
				}
			}
		}
	}
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
			d.Op, d.Family, d.Pool = api.Release, st.family, st.pool
			d.Rel = uint8(st.rel)
		case st.phase == moved:
			d.Op = api.Consume
		case st.phase == gone || st.phase == sent || len(st.tasks) > 0:
			d.Op = api.Opaque
		case st.owners > 0:
			d.Op = api.Share
		case st.many:
			d.Op = api.ShareAny
		case e.kept(s, o, st):
			d.Op = api.Keep
		case st.escaped:
			d.Op = api.Opaque
		case st.judged:
			d.Op = api.Weigh
		default:
			continue
		}
		out.Deeds = append(out.Deeds, d)
	}
	// What is inside goes before what it is inside of.
	slices.SortStableFunc(out.Deeds, func(a, b Deed) int {
		return strings.Count(b.Path, "/") - strings.Count(a.Path, "/")
	})
	for _, c := range sortedCells(s.mem) {
		p := e.inputPath(s, c.obj)
		if p == "" || c.path == "held" || strings.Contains(c.path, "[") {
			continue
		}
		v := s.mem[c]
		if v.stale {
			out.Stores = append(out.Stores, Store{Path: p, Cell: c.path, Stale: true})
		} else if s.stored[c] {
			out.Stores = append(out.Stores, Store{Path: p, Cell: c.path, Value: e.describe(s, v, 0)})
		}
	}
	for i, v := range x.results {
		d := Desc{}
		if t := x.ret.Results[i].Type(); carries(t) || isScalar(t) || isError(t) {
			d = e.describe(s, v, 0)
		}
		out.Results = append(out.Results, d)
	}
	return out
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

// describe describes v to callers.
func (e *explorer) describe(s *state, v value, depth int) Desc {
	d := Desc{Known: s.knownOf(v).String()}
	for _, k := range sortedKeys(v.sub) {
		if depth < 3 {
			if sub := e.describe(s, v.sub[k], depth+1); !sub.empty() {
				d.Parts = append(d.Parts, DescCell{k, sub})
			}
		}
	}
	for _, x := range v.refs {
		if p := e.inputPath(s, x.obj); p != "" {
			d.Refs = append(d.Refs, DescRef{p, x.path, uint8(x.rel), x.cut})
			continue
		}
		st := s.status[x.obj]
		if o := v.identity(); o != nil && o == x.obj && o.acq != nil && st.phase == live && st.owned && !st.stored() {
			d.Own, d.Pool, d.Dirty = o.acq.family.Name, st.origin, o.acq.dirty && st.fill != clean
			continue
		}
		if x.obj.kind == localObject && depth < 2 {
			for _, path := range s.cells(x.obj) {
				if path == "*" || strings.Contains(path, "[") {
					continue
				}
				if sub := e.describe(s, s.mem[cell{x.obj, path}], depth+1); !sub.empty() {
					d.Cells = append(d.Cells, DescCell{path, sub})
				}
			}
		}
	}
	return d
}

func (d Desc) empty() bool {
	return d.Known == "" && len(d.Refs) == 0 && d.Own == "" && len(d.Cells) == 0 && len(d.Parts) == 0
}

// stored reports whether somebody beside the holder of the reference may
// release the memory.
func (st status) stored() bool { return st.escaped || st.many }

// applySummary applies what is known of a function to a call of it.
func (e *explorer) applySummary(sh *shape, s *state, sum *Summary, c *call, reg ssa.Value) []returned {
	for _, p := range sum.Used {
		if v, ok := e.input(s, c, p); ok {
			e.touchArg(s, v, c.pos)
			e.written(s, v)
		}
	}
	var out []returned
	for _, o := range sum.Outcomes {
		t := s
		if len(sum.Outcomes) > 1 {
			t = s.copy()
		}
		if !e.holds(t, c, o.When) {
			continue
		}
		out = append(out, returned{t, e.applyOutcome(sh, t, &o, c, reg, len(sum.Outcomes) == 1)})
	}
	if sum.Opaque {
		for _, r := range out {
			e.forgetShared(r.state)
		}
	}
	return out
}

// forgetShared forgets what code elsewhere may have changed.
func (e *explorer) forgetShared(s *state) {
	for p := range s.mem {
		if p.obj.kind == globalObject {
			s.mem[p] = value{stale: true}
		}
	}
}

// holds reports whether the conditions may hold, and records that they do.
func (e *explorer) holds(s *state, c *call, when []Condition) bool {
	for _, w := range when {
		v, ok := e.input(s, c, w.Path)
		if !ok {
			continue
		}
		have, want := s.knownOf(v), parseKnown(w.Known)
		switch {
		case have.kind == anything:
			if o := v.identity(); o != nil {
				s.known[o] = want
			}
		case have.kind == isNil && want.kind == nonNil, have.kind == nonNil && want.kind == isNil,
			have.kind == isConst && want.kind == isConst && have != want:
			return false
		}
	}
	return true
}

// input returns what an input path names at a call.
func (e *explorer) input(s *state, c *call, path string) (value, bool) {
	segs := strings.Split(path, "/")
	i, err := strconv.Atoi(segs[0])
	if err != nil || i >= len(c.args) {
		return value{}, false
	}
	v, t := c.args[i], c.regs[i].Type()
	for _, seg := range segs[1:] {
		t = typeAt(t, seg)
		v = e.peek(s, v, seg, t)
	}
	return v, true
}

// peek returns what the cells of v at path hold, without a load instruction.
func (e *explorer) peek(s *state, v value, path string, t types.Type) value {
	var out value
	for _, x := range v.refs {
		if x.rel >= view {
			continue
		}
		c := cell{x.obj, x.path + path}
		if strings.Contains(c.path, "[]") {
			continue
		}
		w, ok := s.mem[c]
		switch {
		case ok && !w.stale:
		case ok || s.mem[cell{x.obj, "*"}].stale:
			w = value{}
		case x.obj.kind == localObject && t != nil:
			w = value{known: zero(t)}
		default:
			w = to(e.content(c.obj, c.path, t))
			s.mem[c] = w
		}
		if len(v.refs) == 1 {
			return w
		}
		out = out.join(w.all())
	}
	return out
}

// typeAt returns the type of the cell at path behind a pointer of type t, nil
// if it is not known.
func typeAt(t types.Type, path string) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	for _, name := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		if name == "" {
			return t
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		t = nil
		for i := range st.NumFields() {
			if st.Field(i).Name() == name {
				t = st.Field(i).Type()
			}
		}
		if t == nil {
			return nil
		}
	}
	return t
}

// applyOutcome applies one outcome to s and returns the call's result.
func (e *explorer) applyOutcome(sh *shape, s *state, o *Outcome, c *call, reg ssa.Value, only bool) value {
	// The inputs are what they were when the call began.
	inputs := make(map[string]value)
	get := func(path string) value {
		v, ok := inputs[path]
		if !ok {
			v, _ = e.input(s, c, path)
			inputs[path] = v
		}
		return v
	}
	for _, d := range o.Deeds {
		get(d.Path)
	}
	for _, st := range o.Stores {
		get(st.Path)
		prefetch(st.Value, get)
	}
	for _, r := range o.Results {
		prefetch(r, get)
	}
	for _, d := range o.Deeds {
		e.deed(s, d, get(d.Path), c, only)
	}
	for _, st := range o.Stores {
		for _, x := range get(st.Path).refs {
			if x.rel >= view {
				continue
			}
			if st.Stale {
				e.clobber(s, x.obj, x.path+strings.TrimSuffix(st.Cell, "*"))
				continue
			}
			addr := value{refs: []ref{{obj: x.obj, path: x.path + st.Cell}}}
			e.store(s, addr, e.realize(sh, s, st.Value, get, c, reg, "s"+st.Path+st.Cell), c.pos)
		}
	}
	results := make(map[int]value)
	for k, d := range o.Results {
		if d.empty() {
			continue
		}
		results[k] = e.realize(sh, s, d, get, c, reg, strconv.Itoa(k))
	}
	return e.fill(s, reg, results)
}

func prefetch(d Desc, get func(string) value) {
	for _, r := range d.Refs {
		get(r.Path)
	}
	for _, sub := range d.Cells {
		prefetch(sub.Value, get)
	}
	for _, sub := range d.Parts {
		prefetch(sub.Value, get)
	}
}

func (e *explorer) deed(s *state, d Deed, v value, c *call, only bool) {
	switch d.Op {
	case api.Release:
		if d.Doubt {
			e.doubt(s, v)
			return
		}
		w := value{known: v.known, refs: v.weaken(rel(d.Rel), token.NoPos)}
		row := &api.Func{Family: families[d.Family]}
		if row.Family == nil {
			row = nil
		}
		if !only {
			row = nil // a helper that chooses among pools knows which
		}
		e.release(s, w, giving{row, "", c.pos, c.deferred, nil, ""})
	case api.Consume:
		for _, x := range v.refs {
			e.freed[e.young(x.obj)] = true
			if x.rel != holds && s.status[x.obj].phase == live {
				e.end(s, x.obj, moved, c.pos, c.deferred)
			}
		}
	case api.Keep:
		e.escape(s, v, escape{pos: c.pos})
	case api.Doubt:
		e.doubt(s, v)
	case api.Weigh:
		for _, x := range v.refs {
			e.freed[e.young(x.obj)] = true
			s.update(x.obj, func(st *status) { st.judged = true })
		}
	case api.Share:
		for _, x := range v.refs {
			s.update(x.obj, func(st *status) { st.owners = min(st.owners+1, 8) })
		}
	case api.ShareAny:
		for _, x := range v.refs {
			s.update(x.obj, func(st *status) { st.many = true })
		}
	default:
		e.surrender(s, v)
	}
}

// doubt records that v may have been released: nothing more is said of it,
// unless it was released before.
func (e *explorer) doubt(s *state, v value) {
	for _, x := range v.refs {
		e.freed[e.young(x.obj)] = true
		e.doubted[e.young(x.obj)] = true
		if s.status[x.obj].phase == live {
			s.update(x.obj, func(st *status) { st.phase = gone })
		}
	}
}

// realize turns a description into a value of the caller.
func (e *explorer) realize(sh *shape, s *state, d Desc, get func(string) value, c *call, reg ssa.Value, part string) value {
	out := value{}
	if k := parseKnown(d.Known); k.kind != anything && len(d.Refs) == 0 && len(d.Cells) == 0 {
		out.known = k
	}
	for _, r := range d.Refs {
		refs := get(r.Path).weaken(rel(r.Rel), c.pos)
		if len(d.Refs) == 1 && r.Rel == uint8(whole) && r.Cell == "" && !r.Cut {
			out.known = get(r.Path).known
		}
		for i := range refs {
			refs[i].path += r.Cell
			refs[i].cut = refs[i].cut || r.Cut
		}
		out = out.join(refs)
	}
	if reg == nil {
		return out
	}
	object := func() *object {
		k, err := strconv.Atoi(part)
		if err == nil {
			return e.result(reg, k)
		}
		return e.intern(objectKey{site: reg, part: part}, func(o *object) { o.pos = reg.Pos() })
	}
	if d.Own != "" {
		o := object()
		if o.acq == nil {
			o.kind = pooledObject
			o.acq = &acquisition{family: families[d.Own], dirty: d.Dirty, call: c.common, byHelper: true}
		}
		e.renew(sh, s, o)
		st := status{phase: live, owned: true, origin: d.Pool}
		if d.Dirty {
			st.fill = dirty
		}
		s.status[o] = st
		if k := parseKnown(d.Known); k.kind != anything {
			s.known[o] = k
		}
		e.acquires = true
		return to(o)
	}
	if len(d.Cells) > 0 {
		o := object()
		if o.kind == unknownObject {
			o.kind = localObject
		}
		for _, sub := range d.Cells {
			v := e.realize(sh, s, sub.Value, get, c, reg, part+sub.Path)
			for _, x := range v.refs {
				if x.obj.name == "" {
					x.obj.name = o.name + sub.Path
				}
			}
			s.mem[cell{o, sub.Path}] = v
		}
		s.mem[cell{o, "*"}] = value{stale: true}
		out = out.join([]ref{{obj: o}})
	}
	if len(d.Parts) > 0 {
		out.sub = make(map[string]value)
		for _, sub := range d.Parts {
			out.sub[sub.Path] = e.realize(sh, s, sub.Value, get, c, reg, part+sub.Path)
		}
	}
	if out.empty() {
		return to(object())
	}
	return out
}

var families = func() map[string]*api.Family {
	m := make(map[string]*api.Family)
	for _, f := range []*api.Family{api.Slices, api.BufPools, api.Buffers, api.Readers, api.SyncPool, api.ByteBuffer,
		api.Mcache, api.Proxy, api.User} {
		m[f.Name] = f
	}
	return m
}()
