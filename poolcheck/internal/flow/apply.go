package flow

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// applySummary applies what is known of a function to a call of it.
func (e *explorer) applySummary(sh *shape, s *state, sum *Summary, c *call, reg ssa.Value) []returned {
	for _, p := range sum.Used {
		if v, ok := e.input(s, c, p); ok {
			e.givenAgain(s, sum, c, p)
			e.touchArg(s, v, c.at)
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

// givenAgain reports what was released before and is released again, perhaps, by the callee,
// which reads what the input path p names.
func (e *explorer) givenAgain(s *state, sum *Summary, c *call, p string) {
	k := inputIndex(p)
	o := c.args[k].identity()
	if o == nil || s.status[o].phase != released || !sum.gives(k) {
		return
	}
	e.report(s, DoubleRelease, o, c.at, s.status[o].at)
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
	i := inputIndex(path)
	if i >= len(c.args) {
		return value{}, false
	}
	v, t := c.args[i], c.regs[i].Type()
	for _, seg := range strings.Split(path, "/")[1:] {
		t = typeAt(t, seg)
		v = e.peek(s, v, seg, t)
	}
	return v, true
}

// peek returns what the cells of v at path hold, without a load instruction.
func (e *explorer) peek(s *state, v value, path string, t types.Type) value {
	if part, ok := v.sub[path]; ok {
		return part
	}
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
	if elem := elemOfPointer(t); elem != nil {
		t = elem
	}
	for _, name := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		if name == "" {
			return t
		}
		f := fieldNamed(t, name)
		if f == nil {
			return nil
		}
		t = f.Type()
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
		if d.Into != "" {
			get(d.Into)
		}
	}
	for _, st := range o.Stores {
		get(st.Path)
		prefetch(st.Value, get)
	}
	for _, r := range o.Results {
		prefetch(r, get)
	}
	for _, st := range o.Stores {
		// What a box had before something else was put there does not go back with it.
		for _, x := range get(st.Path).refs {
			if st.Cell == "" && x.rel < view && o.releases(st.Path) {
				s.mem[cell{x.obj, x.path}] = value{}
			}
		}
	}
	for _, d := range o.Deeds {
		e.deed(s, d, get, c, only)
	}
	e.applying = true
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
			e.store(s, addr, e.realize(sh, s, st.Value, get, c, reg, "s"+st.Path+st.Cell), c.at)
		}
	}
	e.applying = false
	results := make(map[int]value)
	for k, d := range o.Results {
		if d.empty() {
			continue
		}
		results[k] = e.realize(sh, s, d, get, c, reg, strconv.Itoa(k))
	}
	return e.fill(s, reg, results)
}

// releases reports whether the input at path goes back.
func (o *Outcome) releases(path string) bool {
	return slices.ContainsFunc(o.Deeds, func(d Deed) bool { return d.Op == api.Release && d.Path == path && !d.Each })
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

func (e *explorer) deed(s *state, d Deed, get func(string) value, c *call, only bool) {
	v := get(d.Path)
	switch d.Op {
	case api.Release:
		if d.Each {
			e.surrender(s, v, nil)
			for _, x := range v.refs {
				if x.rel == whole && x.path == "" {
					e.frees[e.young(x.obj)]++
					s.update(x.obj, func(st *status) { st.each, st.loop = c.at, nil })
				}
			}
			return
		}
		if d.As != "" {
			if t := staticType(c.regs[inputIndex(d.Path)]); concrete(t) && t.String() != d.As {
				return // it is something else
			} else if !concrete(t) {
				e.doubt(s, v)
				return
			}
		}
		if d.Doubt {
			e.doubt(s, v)
			return
		}
		w := value{known: v.known, refs: v.weaken(rel(d.Rel), nowhere)}
		for i, x := range w.refs {
			if (d.Family == "" || d.Family == api.SyncPool.Name) && x.rel == whole && x.path == "" && inBox(x.obj) {
				w.refs[i] = ref{obj: x.obj.parent} // the callee puts the slice back in a box
			}
		}
		row := &api.Func{Family: families[d.Family]}
		if row.Family == nil {
			row = nil
		}
		if !only {
			row = nil // a helper that chooses among pools knows which
		}
		e.release(s, w, giving{row: row, at: c.at, deferred: c.deferred})
	case api.Consume:
		for _, x := range v.refs {
			e.frees[e.young(x.obj)]++
			if x.rel != holds && s.status[x.obj].phase == live {
				e.end(s, x.obj, moved, c.at, c.deferred)
			}
		}
	case api.Keep:
		kept := escape{at: c.at}
		if d.Into != "" {
			kept.into = get(d.Into).identity()
		}
		e.escape(s, v, kept)
	case api.Doubt:
		e.doubt(s, v)
	case api.Weigh:
		for _, x := range v.refs {
			e.frees[e.young(x.obj)]++
			s.update(x.obj, func(st *status) { st.judged, st.setting, st.judge = true, false, nil })
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
		var to *lending
		if d.Lent {
			to = e.lendingOf(c, inputIndex(d.Path))
		}
		e.surrender(s, v, to)
	}
}

// inputIndex returns the index of the argument that an input path begins at.
func inputIndex(path string) int {
	first, _, _ := strings.Cut(path, "/")
	i, _ := strconv.Atoi(first)
	return i
}

// doubt records that v may have been released: nothing more is said of it,
// unless it was released before.
func (e *explorer) doubt(s *state, v value) {
	for _, x := range v.refs {
		e.frees[e.young(x.obj)]++
		if s.status[x.obj].phase == live {
			s.update(x.obj, func(st *status) { st.phase = gone })
		}
	}
}

// relation returns how what r shows relates to the memory that it comes from, at the call c: what
// is added to a slice that is cut to nothing is all of it.
func (r DescRef) relation(c *call) rel {
	k, err := strconv.Atoi(r.Path)
	if rel(r.Rel) == part && err == nil && k < len(c.regs) && isEmptied(c.regs[k]) {
		return whole
	}
	return rel(r.Rel)
}

// realize turns a description into a value of the caller.
func (e *explorer) realize(sh *shape, s *state, d Desc, get func(string) value, c *call, reg ssa.Value, part string) value {
	out := value{}
	if k := parseKnown(d.Known); k.kind != anything && len(d.Refs) == 0 && len(d.Cells) == 0 {
		out.known = k
	}
	for _, r := range d.Refs {
		refs := get(r.Path).weaken(r.relation(c), c.at)
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
		o := e.intern(objectKey{site: reg, in: e.in, part: part}, func(o *object) { o.at = e.made(reg) })
		e.renew(sh, s, o)
		return o
	}
	if d.Own != "" {
		o := object()
		if o.acq == nil {
			o.kind = pooledObject
			pool := d.from
			if pool == nil {
				pool = e.importedPool(c.common, d.Own, d.Pool)
			}
			o.acq = &acquisition{family: families[d.Own], pool: pool, dirty: d.Dirty, call: c.common}
		}
		// Where callees are not run, it is not known whose the memory in a struct is.
		st := status{phase: live, owned: !e.shallow || !strings.Contains(part, "."), escaped: d.Lent, origin: d.Pool}
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
				x.obj.call(e.in, o.name(e.in)+sub.Path)
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

var families = api.Families()
