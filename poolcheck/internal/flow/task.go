package flow

import (
	"bytes"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// spawn starts a goroutine. It may go on using what it was given, release it,
// or keep it; what it did is known only when it was waited for.
func (e *explorer) spawn(s *state, c *call, at place, loop bool) {
	shared, gives, unknown, lent, changed := e.handedTo(s, c)
	t := e.task(s, c, at)
	for _, o := range sortedObjects(gives) {
		st := s.status[o]
		e.frees[e.young(o)]++
		switch {
		case st.phase == released || st.phase == moved:
			e.touch(s, to(o), at)
		case st.phase == handed && !loop:
			e.report(s, DoubleRelease, o, at, st.at)
		case st.many:
			s.update(o, func(st *status) { st.phase = gone })
		case st.owners > 0:
			s.update(o, func(st *status) { st.owners-- })
		case st.phase == live && len(st.tasks) > 0 && loop:
			s.update(o, func(st *status) { st.phase = gone })
		case st.phase == live:
			e.end(s, o, handed, at, false)
		}
	}
	for _, o := range sortedObjects(unknown) {
		s.update(o, (*status).share)
	}
	for _, o := range sortedObjects(shared) {
		if gives[o] || unknown[o] || gives[o.parent] || unknown[o.parent] {
			continue
		}
		e.touch(s, to(o), at)
		s.employ(o, t)
		if lent[o] {
			s.update(o, func(st *status) { st.escaped = true })
		}
	}
	// What a variable holds that the goroutine assigns is not known from now on.
	for p, counts := range changed {
		for _, r := range s.mem[p].all() {
			if s.status[r.obj].phase == live {
				s.update(r.obj, (*status).share)
			}
		}
		if counts {
			e.uncounted(s, p.obj)
		}
		s.mem[p] = value{stale: true}
	}
}

// uncounted records that a goroutine decrements a count inside of o: goroutines that work
// on o, or on what it holds, may well have references of their own.
func (e *explorer) uncounted(s *state, o *object) {
	e.eachReached(s, to(o), func(r ref) {
		o := r.obj
		if inBox(o) {
			o = o.parent
		}
		if len(s.status[o].tasks) > 0 {
			s.update(o, func(st *status) { st.many = true })
		}
	})
}

// employ records that the goroutine t works on o.
func (s *state) employ(o *object, t *task) {
	s.update(o, func(st *status) {
		if !slices.Contains(st.tasks, t) && st.phase == live {
			st.tasks = append(slices.Clip(st.tasks), t)
		}
	})
}

// task returns the goroutine that the call starts.
func (e *explorer) task(s *state, c *call, at place) *task {
	var channels []*object
	add := func(v value) {
		e.eachReached(s, v, func(r ref) {
			if _, ok := r.obj.site.(*ssa.MakeChan); (ok || isPipe(r.obj)) && !slices.Contains(channels, r.obj) {
				channels = append(channels, r.obj)
			}
		})
	}
	add(c.fun)
	for _, a := range c.args {
		add(a)
	}
	slices.SortFunc(channels, func(a, b *object) int { return a.id - b.id })
	for _, t := range e.tasks {
		if t.at == at && slices.Equal(t.channels, channels) {
			return t
		}
	}
	t := &task{id: len(e.tasks), at: at, channels: channels}
	e.tasks = append(e.tasks, t)
	return t
}

// handedTo returns the objects that the goroutine running c can reach: all of them, those
// that it releases, those of which nothing is known, and those that it lends to code that
// nobody has seen. changed has the variables that it assigns, as false, and the counts that
// it decrements, as true.
func (e *explorer) handedTo(s *state, c *call) (shared, gives, unknown, lent map[*object]bool, changed map[cell]bool) {
	shared, gives, unknown, lent = make(map[*object]bool), make(map[*object]bool), make(map[*object]bool), make(map[*object]bool)
	changed = make(map[cell]bool)
	reach := func(v value, into map[*object]bool) {
		e.eachReached(s, v, func(r ref) {
			if r.obj.kind == pooledObject || r.obj.kind == contentObject || r.obj.taken || r.obj.kind == inputObject && r.rel < holds {
				into[r.obj] = true
			}
			if inBox(r.obj) {
				into[r.obj.parent] = true
			}
		})
	}
	reach(c.fun, shared)
	for _, a := range c.args {
		reach(a, shared)
	}
	// A trial run on a copy of the state tells what becomes of them.
	trial := s.copy()
	for o := range shared {
		trial.update(o, func(st *status) { st.tasks = nil })
	}
	muted := e.muted
	_, goes := c.instr.(*ssa.Go)
	e.muted = e.muted || !goes
	trial.defers = nil
	d := *c
	d.deferred = true
	ends := e.invoke(nil, trial, &d, nil)
	e.muted = muted
	for o := range shared {
		before := s.status[o]
		for i, r := range ends {
			after := r.state.status[o]
			gave := after.phase != before.phase || after.owners < before.owners
			switch {
			case gave && after.phase == released || after.owners < before.owners:
				gives[o] = true
			case gave || after.escaped && !before.escaped || i > 0 && gives[o]:
				unknown[o] = true
			case after.shared() && !before.shared():
				// Whether the code that it was lent to borrows it or takes it over,
				// it is not the function's own to release before the goroutine ends.
				lent[o] = true
			}
		}
		if len(ends) == 0 {
			unknown[o] = true
		}
	}
	// Released by some of its paths only: nobody knows.
	for o := range gives {
		for _, r := range ends {
			after, before := r.state.status[o], s.status[o]
			if after.phase == before.phase && after.owners == before.owners {
				delete(gives, o)
				unknown[o] = true
				break
			}
		}
	}
	for p, before := range s.mem {
		_, variable := p.obj.site.(*ssa.Alloc)
		for _, r := range ends {
			after, ok := r.state.mem[p]
			if !ok || bytes.Equal(after.appendTo(nil), before.appendTo(nil)) {
				continue
			}
			down := arithmetic(token.SUB, before.known, known{isConst, "1"})
			counts := down.kind == isConst && after.known == down
			if variable || counts {
				changed[p] = changed[p] || counts
			}
		}
	}
	return shared, gives, unknown, lent, changed
}

// spawnValue starts the function value v beside the caller.
func (e *explorer) spawnValue(s *state, v value, c *call) {
	inner := &call{common: &ssa.CallCommon{Value: c.common.Value}, fun: v, instr: c.instr, at: c.at}
	if o := v.identity(); o != nil {
		if mc, ok := o.site.(*ssa.MakeClosure); ok {
			inner.common = &ssa.CallCommon{Value: mc}
		} else if fn, ok := o.site.(*ssa.Function); ok {
			inner.common = &ssa.CallCommon{Value: fn}
		} else {
			e.surrender(s, v, nil)
			return
		}
		e.spawn(s, inner, c.at, true)
		return
	}
	e.surrender(s, v, nil)
}

// sendJob hands v, the function literal lit, over a channel: the goroutine that receives it
// runs it.
func (e *explorer) sendJob(s *state, v value, lit *ssa.MakeClosure, at place) {
	run := e.jobs[lit]
	if run == nil {
		run = &ssa.Go{Call: ssa.CallCommon{Value: lit}}
		e.jobs[lit] = run
	}
	c := &call{common: &run.Call, fun: v, instr: run, at: at}
	b := at.instr.Block()
	e.spawn(s, c, at, e.shape(b.Parent()).loops[b.Index])
}

// send hands v over a channel.
func (e *explorer) send(s *state, ch, v value, at place) {
	if o := v.identity(); o != nil {
		if lit, ok := o.site.(*ssa.MakeClosure); ok {
			e.sendJob(s, v, lit, at)
			return
		}
	}
	e.unlist(s, v.refs)
	e.eachReached(s, v, func(r ref) {
		o := r.obj
		if o.kind == globalObject || o.kind == localObject {
			return
		}
		st := s.status[o]
		switch {
		case st.phase == released:
			e.report(s, UseAfterRelease, o, at, st.at)
		case st.phase == moved:
			e.report(s, GrownAndLost, o, at, st.at)
		case st.phase == sent:
			e.afterSend(s, o, at, nil)
		case st.phase == live && (st.owners > 0 || st.many || r.rel == holds):
			s.update(o, func(st *status) { st.phase = gone })
			if inBox(o) && s.status[o.parent].phase == live {
				s.handOver(o.parent)
			}
		case st.phase == live:
			e.end(s, o, sent, at, false)
			if ch := sentOver(at); ch != nil {
				e.handsTo(o, placeOf(ch))
			}
			if inBox(o) && s.status[o.parent].phase == live {
				s.handOver(o.parent)
			}
		}
	})
}

// stopped records what Stop of the timer v reported: whether it kept the
// timer's function from running. If not, it is not known how far that came.
func (e *explorer) stopped(s *state, v value, kept bool) {
	o := v.identity()
	if o == nil {
		return
	}
	timer, ok := o.site.(*ssa.Call)
	if !ok {
		return
	}
	started := e.made(timer)
	ofTimer := func(t *task) bool { return t.at == started }
	for o, st := range s.status {
		given := st.phase == handed && st.at == started
		switch {
		case !given && !slices.ContainsFunc(st.tasks, ofTimer):
		case !kept:
			s.update(o, (*status).share)
		default:
			s.update(o, func(st *status) {
				st.tasks = slices.DeleteFunc(slices.Clone(st.tasks), ofTimer)
				if given {
					st.phase = live
				}
			})
		}
	}
}

// receive takes a value from a channel: goroutines that announce their end on
// it have ended, and what was sent may have come back.
func (e *explorer) receive(s *state, ch ssa.Value, loop bool) {
	if isClock(ch) {
		return
	}
	var channel *object
	for _, x := range e.value(s, ch).refs {
		channel = x.obj
	}
	known := false
	for _, st := range s.status {
		for _, t := range st.tasks {
			known = known || slices.Contains(t.channels, channel)
		}
	}
	for o, st := range s.status {
		if st.phase == sent {
			s.update(o, func(st *status) { st.phase = live; st.share() })
			continue
		}
		if len(st.tasks) == 0 {
			continue
		}
		var still []*task
		for _, t := range st.tasks {
			if known && !slices.Contains(t.channels, channel) {
				still = append(still, t)
			}
		}
		s.update(o, func(st *status) { st.tasks = still })
	}
}

// isClock reports whether ch signals time or cancellation, not the end of
// a goroutine.
func isClock(ch ssa.Value) bool {
	switch x := ch.(type) {
	case *ssa.Call:
		if x.Call.IsInvoke() {
			return x.Call.Method.Name() == "Done"
		}
		f := x.Call.StaticCallee()
		return f != nil && f.Pkg != nil && f.Pkg.Pkg.Path() == "time"
	case *ssa.UnOp:
		if fa, ok := x.X.(*ssa.FieldAddr); ok {
			return isTimer(fa)
		}
	case *ssa.ChangeType:
		return isClock(x.X)
	}
	return false
}

func isTimer(fa *ssa.FieldAddr) bool {
	switch fa.X.Type().String() {
	case "*time.Timer", "*time.Ticker":
		return true
	}
	return false
}

// joinAll records that every goroutine has ended.
func (e *explorer) joinAll(s *state) {
	for o, st := range s.status {
		if len(st.tasks) > 0 {
			s.update(o, func(st *status) { st.tasks = nil })
		}
		if st.phase == sent {
			s.update(o, func(st *status) { st.phase = live; st.share() })
		}
	}
}
