package flow

import (
	"go/types"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A phase is where pooled memory is in its life.
type phase uint8

const (
	live     phase = iota
	released       // went back to its pool
	moved          // an append may have released it; the content is elsewhere
	handed         // a goroutine or callee releases it
	sent           // went over a channel
	gone           // unknown, or reported already: nothing more is said of it
)

// A status is the life of one object on one path.
type status struct {
	phase    phase
	at       place           // where the phase began
	late     place           // where a callee that has not ended yet has used what was released
	deferred bool            // by a deferred call
	owned    bool            // somebody on this path has to release it
	escaped  bool            // somebody else may release it
	parked   bool            // only because it was stored where the last of escapes tells
	lent     []*lending      // calls that were given it
	judged   bool            // its size, or a flag, decided a branch whose sides have not met again
	setting  bool            // only a flag did: that does not excuse a path that fails
	judge    *ssa.BasicBlock // that branched
	judgedAt int             // how often it had been released then
	each     place           // where a loop has released every element of it
	loop     *ssa.BasicBlock // that begins each round of that loop
	grouped  bool            // is an element of an array
	owners   int8            // additional references
	many     bool            // an unknown number of additional references
	fill     fill            // whether all of its bytes were written
	tasks    []*task         // goroutines that work on it
	escapes  []escape        // where it was stored
	origin   string          // the name of the pool that it came from, "" if it is not known
	decided  bool            // released where a flag beside it was known
	family   string          // of the pool that it went back to
	pool     string
	rider    bool       // by the release of what it is inside of
	rel      rel        // what part of it did
	as       types.Type // of the value that did, if that is an input of an interface type
}

// share records that somebody else may have the object.
func (st *status) share() { st.escaped, st.parked = true, false }

// shared reports whether somebody else may have the object.
func (st status) shared() bool {
	return st.escaped || slices.ContainsFunc(st.lent, func(l *lending) bool { return l.unknown })
}

// A fill says whether what a slice shows was written.
type fill uint8

const (
	clean   fill = iota
	dirty        // nothing was
	partial      // an unknown part was
)

// A task is a goroutine that the function started.
type task struct {
	id       int
	at       place
	channels []*object // what it may announce its end on, and pipes
}

// An escape is a place that outlives the function and was made to show an
// object.
type escape struct {
	at   place
	cell cell // zero if the place cannot be overwritten
	into *object
	late bool // it had been released before
}

// A cell is a place in memory.
type cell struct {
	obj  *object
	path string
}

// A state is what is known on one path at one point of a function.
type state struct {
	env    map[ssa.Value]value
	mem    map[cell]value
	status map[*object]status
	known  map[*object]known
	defers []*pending
	stored map[cell]bool // cells that the function itself has written
	losses []loss
}

// A pending is a deferred call.
type pending struct {
	instr *ssa.Defer
	call  *call
	depth int // of the function that deferred it
}

// running is the depth of a deferred call that is run: what it was given can be reached
// until it has ended.
const running = -1

// size returns how much a look at all of s reads.
func (s *state) size() int { return len(s.env) + len(s.mem) + len(s.status) + len(s.known) }

func newState() *state {
	return &state{
		env:    make(map[ssa.Value]value),
		mem:    make(map[cell]value),
		status: make(map[*object]status),
		known:  make(map[*object]known),
		stored: make(map[cell]bool),
	}
}

func (s *state) copy() *state {
	return &state{
		env:    maps.Clone(s.env),
		mem:    maps.Clone(s.mem),
		status: maps.Clone(s.status),
		known:  maps.Clone(s.known),
		defers: slices.Clone(s.defers),
		losses: s.losses,
		stored: maps.Clone(s.stored),
	}
}

// update changes the status of o.
func (s *state) update(o *object, f func(*status)) {
	st := s.status[o]
	f(&st)
	s.status[o] = st
}

// age makes room for a new instance of o: the present one becomes the one of
// the round before, and what was known as that is forgotten.
func (s *state) age(o, older *object) {
	if !s.mentions(o) && !s.mentions(older) {
		return
	}
	s.entail(older)
	s.substitute(older, nil)
	delete(s.status, older)
	delete(s.known, older)
	s.substitute(o, older)
	if st, ok := s.status[o]; ok {
		s.status[older] = st
		delete(s.status, o)
	}
	if k, ok := s.known[o]; ok {
		s.known[older] = k
		delete(s.known, o)
	}
}

// mentions reports whether anything is known of o, or leads to it.
func (s *state) mentions(o *object) bool {
	if _, ok := s.status[o]; ok {
		return true
	}
	if _, ok := s.known[o]; ok {
		return true
	}
	for c := range s.mem {
		if c.obj == o {
			return true
		}
	}
	return s.leadsTo(o)
}

// entail notes, before the cells of o are forgotten, that code that can reach o, a deferred
// call among it, can reach what they hold.
func (s *state) entail(o *object) {
	linked := s.deferredWith(o)
	for c, v := range s.mem {
		linked = linked || c.obj != o && v.leadsTo(o)
	}
	if !linked {
		return
	}
	for c, v := range s.mem {
		if c.obj != o {
			continue
		}
		for _, x := range v.all() {
			if s.status[x.obj].phase == live {
				s.handOver(x.obj)
			}
		}
	}
}

func (s *state) substitute(old, new *object) {
	for r, v := range s.env {
		if v.leadsTo(old) {
			s.env[r] = v.substitute(old, new)
		}
	}
	for c, v := range s.mem {
		if c.obj != old {
			if v.leadsTo(old) {
				s.mem[c] = v.substitute(old, new)
			}
			continue
		}
		delete(s.mem, c)
		if new == nil {
			continue
		}
		if s.stored[c] {
			delete(s.stored, c)
			s.stored[cell{new, c.path}] = true
		}
		s.mem[cell{new, c.path}] = v.substitute(old, new)
	}
	for i, p := range s.defers {
		leads := func(v value) bool { return v.leadsTo(old) }
		if !leads(p.call.fun) && !slices.ContainsFunc(p.call.args, leads) {
			continue
		}
		c := *p.call
		c.args = slices.Clone(c.args)
		for j, a := range c.args {
			c.args[j] = a.substitute(old, new)
		}
		c.fun = c.fun.substitute(old, new)
		s.defers[i] = &pending{p.instr, &c, p.depth}
	}
}

// leadsTo reports whether a register, cell or deferred call leads to o.
func (s *state) leadsTo(o *object) bool {
	leads := func(v value) bool { return v.leadsTo(o) }
	for _, v := range s.env {
		if leads(v) {
			return true
		}
	}
	for _, v := range s.mem {
		if leads(v) {
			return true
		}
	}
	return s.deferredWith(o)
}

// deferredWith reports whether a deferred call is given what leads to o.
func (s *state) deferredWith(o *object) bool {
	return slices.ContainsFunc(s.defers, func(p *pending) bool {
		return slices.ContainsFunc(p.call.args, func(v value) bool { return v.leadsTo(o) })
	})
}

// invalidate forgets what the cells of o below path hold, other than stable ones.
// If keep is set, the refs of such a cell are what it held before, and perhaps
// still does.
func (s *state) invalidate(o *object, path string, keep bool, stable func(*object, string) bool) []value {
	var lost []value
	for c, v := range s.mem {
		if c.obj == o && strings.HasPrefix(c.path, path) && c.path != "held" && !v.stale && !stable(o, c.path) && !hasRun(c, v) {
			lost = append(lost, v)
			s.mem[c] = value{stale: true}
			if keep {
				s.mem[c] = value{stale: true, refs: v.refs}
			}
		}
	}
	return lost
}

// detach drops the views of what the cell c held before it was overwritten:
// they no longer show anything of c's object.
func (s *state) detach(c cell) {
	drop := func(v value) value {
		shows := func(x ref) bool {
			return x.obj == c.obj && x.rel == view && strings.HasPrefix(x.path, c.path)
		}
		if slices.ContainsFunc(v.refs, shows) {
			v.refs = slices.DeleteFunc(slices.Clone(v.refs), shows)
		}
		return v
	}
	for r, v := range s.env {
		s.env[r] = drop(v)
	}
	for k, v := range s.mem {
		s.mem[k] = drop(v)
	}
}

// cells returns the paths of the known cells of o, sorted.
func (s *state) cells(o *object) []string {
	var paths []string
	for c := range s.mem {
		if c.obj == o {
			paths = append(paths, c.path)
		}
	}
	slices.Sort(paths)
	return paths
}

func (s *state) facts() facts {
	f := facts{maps.Clone(s.known), make(map[*object][]*lending), s.losses}
	for o, st := range s.status {
		if len(st.lent) > 0 {
			f.lent[o] = st.lent
		}
	}
	return f
}

// add adds one entry of a state, in whatever order.
func (k *key) add(entry []byte) {
	for i, seed := range seeds {
		k[i] += maphash.Bytes(seed, entry)
	}
}

func (s *state) key(e *explorer) key {
	var k key
	var b []byte
	for r, v := range s.env {
		b = v.appendTo(append(appendNumber(b[:0], 'r', e.registerID(r)), '='))
		k.add(b)
	}
	for c, v := range s.mem {
		b = append(appendNumber(b[:0], 'm', c.obj.id), c.path...)
		b = appendFlags(v.appendTo(append(b, '=')), s.stored[c])
		k.add(b)
	}
	for o, st := range s.status {
		b = append(appendNumber(b[:0], 'o', o.id), st.origin...)
		b = append(b, '0'+byte(st.phase), '0'+byte(st.owners), '0'+byte(st.fill), '0'+byte(st.rel))
		b = appendFlags(b, st.deferred, st.owned, st.escaped, st.many, st.parked)
		b = appendFlags(b, st.judged, st.setting, st.rider, st.grouped, st.decided)
		b = st.each.appendTo(st.late.appendTo(st.at.appendTo(b)))
		for _, t := range st.tasks {
			b = appendNumber(b, 't', t.id)
		}
		for _, x := range st.escapes {
			b = x.at.appendTo(append(b, 'e'))
		}
		k.add(b)
	}
	for i, p := range s.defers {
		b = appendNumber(appendNumber(b[:0], 'd', i), '@', p.depth)
		b = appendNumber(b, '@', int(p.instr.Pos()))
		for _, a := range p.call.args {
			b = a.appendTo(b)
		}
		k.add(b)
	}
	return k
}
