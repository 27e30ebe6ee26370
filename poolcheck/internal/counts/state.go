package counts

import (
	"maps"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// A thing is a counted value, or a list of them, that one instruction makes or a parameter brings.
type thing struct {
	id   int
	site ssa.Value
	list bool
}

// A fact is what is known of a value.
type fact uint8

const (
	anything fact = iota
	isNil
	nonNil
	isTrue
	isFalse
)

// A value is what a register or a local variable has.
type value struct {
	thing   *thing
	element bool             // one of the elements of thing, a list
	first   ssa.Value        // the register that had it first, which facts are about
	known   fact             // of a constant
	literal *ssa.MakeClosure // a function literal
	local   *ssa.Alloc       // the address of a local variable
}

// A holding is what a path owns of a thing: references to it, or, of a list, to each element.
type holding struct {
	n        int8
	void     bool            // it is nil, or the call that was to make it has failed
	unsure   bool            // unknown code may have taken a reference, or added one
	kept     bool            // something has been done with it beside releasing it
	by       ssa.Instruction // that the last reference came by
	from     *thing          // of a list: the thing that an owned element is
	listed   *thing          // the list that has it, though the path did not own it then
	released ssa.Instruction // that took the last reference back
}

// A deferral is a deferred call with what it was given.
type deferral struct {
	instr *ssa.Defer
	fun   value
	args  []value
}

// An effect on all elements of a list: one reference more, or less, by what a loop does in each
// of its rounds.
type effect struct {
	list *thing
	loop *ssa.BasicBlock
	more bool
}

// A state is what is known at one point of one path.
type state struct {
	registers map[ssa.Value]value
	locals    map[*ssa.Alloc]value
	holdings  map[*thing]holding
	facts     map[ssa.Value]fact
	entered   map[*ssa.BasicBlock]bool // heads of loops that have run
	done      map[effect]bool
	deferred  []deferral
	results   map[*ssa.Call][]value // of calls that have several
}

func newState() *state {
	return &state{
		registers: make(map[ssa.Value]value),
		locals:    make(map[*ssa.Alloc]value),
		holdings:  make(map[*thing]holding),
		facts:     make(map[ssa.Value]fact),
		entered:   make(map[*ssa.BasicBlock]bool),
		done:      make(map[effect]bool),
		results:   make(map[*ssa.Call][]value),
	}
}

func (s *state) copy() *state {
	return &state{
		registers: maps.Clone(s.registers),
		locals:    maps.Clone(s.locals),
		holdings:  maps.Clone(s.holdings),
		facts:     maps.Clone(s.facts),
		entered:   maps.Clone(s.entered),
		done:      maps.Clone(s.done),
		deferred:  slices.Clone(s.deferred),
		results:   maps.Clone(s.results),
	}
}

// update changes the holding of t.
func (s *state) update(t *thing, f func(*holding)) {
	h := s.holdings[t]
	f(&h)
	s.holdings[t] = h
}

// doubt gives up what v has.
func (s *state) doubt(v value) {
	if v.thing != nil {
		s.suspect(v.thing)
		s.keep(v.thing)
	}
	if v.local != nil {
		held := s.locals[v.local]
		delete(s.locals, v.local) // before what it has, which may lead back to it
		s.doubt(held)
	}
	if v.literal != nil {
		for _, captured := range v.literal.Bindings {
			s.doubt(s.registers[captured])
		}
	}
}

// add changes the number of references that the path owns to what v has, by instr.
func (s *state) add(v value, n int8, instr ssa.Instruction) {
	t := v.thing
	if t == nil || n == 0 {
		return
	}
	if v.element && !s.once(t, instr, n > 0) {
		return
	}
	s.update(t, func(h *holding) {
		switch {
		case h.void:
			return
		case n > 0 && h.listed != nil && h.n <= 0:
			s.update(h.listed, func(l *holding) { l.n, l.from, l.by = max(l.n, 1), t, instr })
			h.listed = nil
			return
		}
		h.n = max(min(h.n+n, 8), -8)
		if n > 0 {
			h.by, h.kept = instr, true
		}
	})
	switch h := s.holdings[t]; {
	case n > 0 || h.n >= 0:
	case t.list:
		s.passOn(t, n)
	default:
		s.takeBack(t)
	}
}

// once reports whether instr adds a reference to each element of list, or takes one away, in the first
// round of its loop: what later rounds do is done to other elements.
func (s *state) once(list *thing, instr ssa.Instruction, more bool) bool {
	e := effect{list, loopOf(instr), more}
	if s.done[e] {
		return false
	}
	s.done[e] = true
	return true
}

// takeBack takes a reference to t out of a list that it was put into while the path owned it: it is
// released by its own name, and the list only borrowed it.
func (s *state) takeBack(t *thing) {
	var from *thing
	for list, l := range s.holdings {
		if l.from == t && l.n > 0 && (from == nil || list.id < from.id) {
			from = list
		}
	}
	if from != nil {
		s.update(from, func(l *holding) { l.n-- })
		s.update(t, func(h *holding) { h.n++ })
	}
}

// within changes the holding of t and, if that is a list, of what is in it.
func (s *state) within(t *thing, f func(*holding)) {
	s.update(t, f)
	if !t.list {
		return
	}
	if from := s.holdings[t].from; from != nil {
		s.update(from, f)
	}
	for x, h := range s.holdings {
		if h.listed == t {
			f(&h)
			s.holdings[x] = h
		}
	}
}

// suspect notes that it is not known how many references there are to t, or to what is in it.
func (s *state) suspect(t *thing) { s.within(t, func(h *holding) { h.unsure = true }) }

// keep notes that somebody else has t, or what is in it.
func (s *state) keep(t *thing) { s.within(t, func(h *holding) { h.kept = true }) }

// passOn adds n to the references to what the path has put into list without owning it.
func (s *state) passOn(list *thing, n int8) {
	for x, h := range s.holdings {
		if h.listed == list {
			h.listed, h.n = nil, max(h.n+n, -8)
			s.holdings[x] = h
		}
	}
}

// give gives one reference away: what v has is returned, stored or sent.
func (s *state) give(v value, instr ssa.Instruction) {
	if v.thing == nil {
		s.doubt(v)
		return
	}
	s.keep(v.thing)
	s.add(v, -1, instr)
}

// owns reports whether the path owns a reference to what v has.
func (s *state) owns(v value) bool {
	return v.thing != nil && s.holdings[v.thing].n > 0 && !s.holdings[v.thing].void
}

// enlist puts v into list: a reference that the path owns is the list's from now on.
func (s *state) enlist(list *thing, v value, instr ssa.Instruction) {
	if v.thing == nil || v.thing == list {
		s.doubt(v)
		return
	}
	h := s.holdings[v.thing]
	if h.unsure {
		s.update(list, func(l *holding) { l.unsure = true })
	}
	if !s.owns(v) {
		if !v.element || s.once(v.thing, instr, false) {
			s.update(v.thing, func(h *holding) { h.listed = list })
		}
		return
	}
	from := v.thing
	if h.from != nil {
		from = h.from
	}
	by := h.by
	s.add(v, -1, instr)
	s.update(list, func(l *holding) { l.n, l.from, l.by = max(l.n, 1), from, by })
}

// key returns a form of s that tells it from other states at the same point.
func (s *state) key(r *runner) string {
	var entries []string
	for x, v := range s.registers {
		entries = append(entries, string(v.appendTo(strconv.AppendInt([]byte("r"), int64(r.number(x)), 10), r)))
	}
	for x, v := range s.locals {
		entries = append(entries, string(v.appendTo(strconv.AppendInt([]byte("l"), int64(r.number(x)), 10), r)))
	}
	for t, h := range s.holdings {
		b := strconv.AppendInt([]byte("t"), int64(t.id), 10)
		b = append(b, '=', '0'+byte(h.n+8), flag(h.void), flag(h.unsure), flag(h.kept))
		if h.listed != nil {
			b = strconv.AppendInt(append(b, 'l'), int64(h.listed.id), 10)
		}
		entries = append(entries, string(b))
	}
	for x, f := range s.facts {
		entries = append(entries, string(append(strconv.AppendInt([]byte("f"), int64(r.number(x)), 10), '=', '0'+byte(f))))
	}
	for b := range s.entered {
		entries = append(entries, "e"+strconv.Itoa(b.Index)+b.Parent().Name())
	}
	for e := range s.done {
		entries = append(entries, "d"+strconv.Itoa(e.list.id)+"@"+strconv.Itoa(e.loop.Index)+e.loop.Parent().Name()+string(flag(e.more)))
	}
	for i, d := range s.deferred {
		entries = append(entries, "D"+strconv.Itoa(i)+"@"+strconv.Itoa(int(d.instr.Pos())))
	}
	slices.Sort(entries)
	var key []byte
	for _, e := range entries {
		key = append(append(key, e...), ';')
	}
	return string(key)
}

func flag(b bool) byte {
	if b {
		return '1'
	}
	return '0'
}

func (v value) appendTo(b []byte, r *runner) []byte {
	b = append(b, '=')
	if v.thing != nil {
		b = strconv.AppendInt(append(b, 't'), int64(v.thing.id), 10)
	}
	b = append(b, flag(v.element), '0'+byte(v.known))
	for _, x := range []ssa.Value{v.first} {
		if x != nil {
			b = strconv.AppendInt(append(b, 'f'), int64(r.number(x)), 10)
		}
	}
	if v.literal != nil {
		b = strconv.AppendInt(append(b, 'c'), int64(r.number(v.literal)), 10)
	}
	if v.local != nil {
		b = strconv.AppendInt(append(b, 'a'), int64(r.number(v.local)), 10)
	}
	return b
}
