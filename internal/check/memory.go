package check

import (
	"github.com/octet-go/octet/internal/finding"
	"github.com/octet-go/octet/internal/guard"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// minBlock is the smallest allocation that has memory of its own: the runtime
// puts smaller ones together, and then they are collected together.
const minBlock = 16

// New returns a slice of length and capacity n, at least 1, for pool o to hand
// out. It is tracked from now on, unless the mode has just changed.
func New(n int, o Owner) []byte { return newTracked(n, n, o, 1) }

// NewSampled is New in mode sample, for a slice of a class that stands for weight
// requests. Its capacity is the class's [SampledCapacity].
func NewSampled(class int, o Owner, weight int) []byte {
	return newTracked(SampledCapacity(class), class, o, weight)
}

// newTracked returns a slice of capacity n that was asked for as one of capacity
// class.
func newTracked(n, class int, o Owner, weight int) []byte {
	now := load()
	if now.Mode == Off || now.Mode == Sample && entries.Load() >= maxSampled {
		return rt.DirtyBytes(n)
	}
	where := caller()
	if now.wantsGuard() {
		if b, ok := guard.Alloc(n, class, o.Name(), where.trace()); ok {
			r := &record{base: address(b), extent: n, object: "slice", guarded: true, weight: weight}
			r.begin(now.epoch, o, n, class, where)
			track(r)
			return b
		}
	}
	b := rt.DirtyBytes(max(n, minBlock))[:n:n]
	r := &record{base: address(b), extent: n, object: "slice", weight: weight}
	r.begin(now.epoch, o, n, class, where)
	watch(r, &b[0])
	return b
}

// Reuse tracks b, which pool o kept, because it is about to be handed out. It
// reports false if b must not be: it is not known, or not what it was.
func Reuse(b []byte, o Owner) bool {
	now := load()
	if !now.strict() {
		return false
	}
	if sanitize.Enabled {
		sanitize.Reused(b)
	}
	s := shardOf(address(b))
	s.Lock()
	r := s.at(address(b))
	if r == nil || r.epoch != now.epoch || r.stage != idle || r.size != cap(b) {
		s.Unlock()
		return false
	}
	if !intact(b) {
		f := r.finding(finding.UseAfterRelease, "written after release", nil)
		r.stage = gone
		s.Unlock()
		report(f, now)
		return false
	}
	r.begin(now.epoch, o, cap(b), cap(b), caller())
	s.Unlock()
	return true
}

// Release notes that b came back to pool o. It reports whether b is this
// package's now, so that the pool must not keep it; then it comes back to the
// pool by Keep later, or goes to the collector. ok is false if b was not to be
// released.
//
// In mode sample, b is the pool's if it is not tracked.
func Release(b []byte, o Owner) (taken, ok bool) {
	now := load()
	base := address(b)
	s := shardOf(base)
	s.Lock()
	r := s.at(base)
	if r == nil || r.epoch != now.epoch || (r.stage != inUse || r.size != cap(b)) && r.isPast(now) {
		s.Unlock()
		return now.releaseUnknown(b, o)
	}
	here := caller()
	switch {
	case r.stage != inUse:
		f := r.finding(finding.DoubleRelease, "released twice", here)
		s.Unlock()
		report(f, now)
		return true, false
	case r.size != cap(b):
		f := r.finding(finding.PartRelease, "part released", here)
		r.end(gone, here)
		s.Unlock()
		report(f, now)
		return true, false
	case r.poolID != o.ID() && now.Foreign:
		f := r.finding(finding.ForeignRelease, "foreign slice released", here)
		r.end(gone, here)
		s.Unlock()
		report(f, now)
		return true, false
	case r.guarded:
		r.end(gone, here)
		s.Unlock()
		guard.Free(b[:cap(b)], here.trace())
		bury(r)
		return true, true
	}
	r.end(quarantined, here)
	s.Unlock()
	quarantine(r, b, o, now)
	return true, true
}

// releaseUnknown is Release for a slice whose first byte no record begins with:
// a part of a slice, or one that the pools did not hand out, or not while they
// were checked.
func (now *state) releaseUnknown(b []byte, o Owner) (taken, ok bool) {
	base := address(b)
	if f := now.partReleased(base); f != nil {
		report(f, now)
		return true, false
	}
	if !now.strict() && !guard.Owns(b) {
		return false, true
	}
	here := caller()
	r := &record{base: base, extent: cap(b), object: "slice"}
	r.begin(now.epoch, o, cap(b), cap(b), nil)
	r.acquiredAt = 0
	if guard.Owns(b) {
		if guard.Free(b, here.trace()) {
			return true, true // it was handed out in an earlier epoch
		}
		report(r.finding(finding.DoubleRelease, "released twice, the first time long ago", here), now)
		return true, false
	}
	if now.reportsForeign(o) {
		report(r.finding(finding.ForeignRelease, "foreign slice released", here), now)
	}
	r.end(quarantined, here)
	track(r)
	quarantine(r, b, o, now)
	return true, true
}

// partReleased describes and notes the release of a part of a slice, which begins
// at p. It returns nil if p lies in none.
func (now *state) partReleased(p uintptr) (f *finding.Report) {
	r := around(p)
	if r == nil {
		return nil
	}
	s := shardOf(r.base)
	s.Lock()
	defer s.Unlock()
	if r.isPast(now) {
		return nil
	}
	here := caller()
	f = r.finding(finding.PartRelease, "part released", here)
	if r.stage == inUse {
		r.end(gone, here)
	} else {
		f.Code, f.What = finding.DoubleRelease, "part released of what was released before"
	}
	return f
}

// Own notes that a Buffer has b and answers for it.
func Own(b []byte) { setOwned(b, true) }

// Disown notes that b left the Buffer that had it, and is its caller's.
func Disown(b []byte) { setOwned(b, false) }

func setOwned(b []byte, owned bool) {
	if Current() == Off || cap(b) == 0 {
		return
	}
	base := address(b)
	s := shardOf(base)
	s.Lock()
	defer s.Unlock()
	if r := s.at(base); r != nil && r.stage == inUse {
		r.owned = owned
		if !owned {
			r.acquired, r.acquiredAt, r.label = caller(), clock(), currentLabel()
		}
	}
}

// track adds r to the table.
func track(r *record) {
	scopes.Lock() // Outstanding must not miss what is taken out here
	var found []*finding.Report
	for _, past := range insert(r) {
		remove(past) // from other regions
		if f := loseLocked(past); f != nil {
			found = append(found, f)
		}
	}
	scopes.Unlock()
	for _, f := range found {
		report(f, load())
	}
}

// collected is called after the memory or object of r was collected.
func collected(r *record) {
	var f *finding.Report
	scopes.Lock()
	if remove(r) { // or it was forgotten, and who knows what happened since
		f = loseLocked(r)
	}
	scopes.Unlock()
	if f != nil {
		report(f, load())
	}
}

// loseLocked notes that the memory of r, which was in the table until now, was
// collected, and returns the leak if it is one and no scope answers for it. The
// caller holds scopes.
func loseLocked(r *record) (f *finding.Report) {
	s := shardOf(r.base)
	s.Lock()
	if r.stage == inUse && !r.owned && r.epoch == load().epoch {
		f = r.finding(finding.Leak, "never released", nil)
	}
	r.stage = gone
	s.Unlock()
	inProfile.Remove(r)
	if f != nil && takeLostLocked(r, f) {
		return nil
	}
	return f
}
