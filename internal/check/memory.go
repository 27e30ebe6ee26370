package check

import (
	"runtime"
	"weak"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// New returns a slice of length and capacity n, at least 1, for pool o to hand
// out. It is tracked from now on, unless the mode has just changed to one that does not
// see the release of such a slice. It may hold old bytes.
func New(n int, o Owner) []byte { return newTracked(n, false, o, 1) }

// NewSampled is New in mode sample, for n that is the capacity of a class: the slice
// represents weight requests of that class.
func NewSampled(n int, o Owner, weight int) []byte { return newTracked(n, true, o, weight) }

// newTracked is New, or NewSampled.
func newTracked(n int, sampled bool, o Owner, weight int) []byte {
	now := load()
	if now.Mode == Off || now.Mode == Sample && !sampled || !now.countSampled() {
		return rt.DirtyBytes(n) // the caller has seen another mode, or there are too many
	}
	now.say()
	where := caller()
	behind, alloc := 0, plainBytes
	if sampled {
		behind, alloc = gap(n), displaced
	}
	if now.wantsGuard() {
		if b, ok := now.guard.Alloc(n+behind, n, o.Name(), where.trace()); ok {
			b = b[:n:n]
			r := &record{base: rt.Address(b), extent: n, kind: Slice, guarded: true, weight: weight}
			r.begin(now.epoch, o, n, where)
			track(r)
			return b
		}
	}
	b := alloc(n)
	r := &record{base: rt.Address(b), extent: n, kind: Slice, weight: weight}
	r.begin(now.epoch, o, n, where)
	now.fillAcquired(b, r)
	watch(r, &b[0])
	return b
}

// plainBytes returns a new slice of n bytes with memory of its own.
func plainBytes(n int) []byte { return rt.DirtyBytes(max(n, minBlock))[:n:n] }

// Reuse tracks b, an idle slice of pool o, which is about to be handed out again.
// It returns false if b must not be handed out: it is unknown, or was written to
// while it was idle, which is reported.
func Reuse(b []byte, o Owner) bool {
	now := load()
	if !now.strict() {
		return false
	}
	if sanitize.Enabled {
		sanitize.Reused(b)
	}
	s, r := find(rt.Address(b), now)
	if r == nil || r.stage != idle || r.size != cap(b) {
		s.Unlock()
		return false
	}
	if r.filled && !intact(b) {
		f := r.finding(finding.UseAfterRelease, "written after release", nil)
		r.stage = gone
		s.Unlock()
		report(f, now)
		return false
	}
	r.begin(now.epoch, o, cap(b), caller())
	s.Unlock()
	now.fillAcquired(b, r)
	return true
}

// Release notes that b was released to pool o. If taken is true, this package owns
// b now: it returns b to the pool by Keep later, or leaves it to the collector. If
// it is false, the pool owns b, as it does what is not tracked in mode sample. ok is
// false if the release was a misuse, which is reported.
func Release(b []byte, o Owner) (taken, ok bool) { return load().release(b, o, false) }

// ReleaseAny is Release for a caller that may release slices that no pool handed out. It
// is a misuse all the same to release one to another pool than its own.
func ReleaseAny(b []byte, o Owner) (taken, ok bool) { return load().release(b, o, true) }

// release is Release, or ReleaseAny if unknown is set.
func (now *state) release(b []byte, o Owner, unknown bool) (taken, ok bool) {
	s, r := find(rt.Address(b), now)
	if r == nil {
		s.Unlock()
		return now.releaseUnknown(b, o, !unknown && now.reportsForeign(o))
	}
	here := caller()
	var f *finding.Report
	next := gone
	switch {
	case r.stage != inUse:
		f = r.finding(finding.DoubleRelease, "released twice", here)
	case r.size != cap(b):
		f = r.finding(finding.PartRelease, "part released", here)
	case now.Foreign && r.poolID != o.ID():
		f = r.finding(finding.ForeignRelease, "foreign slice released", here)
	case !r.guarded:
		next = quarantined
	}
	if r.stage == inUse { // or the first release stays the one that reports name
		r.end(next, here)
	}
	// From here on no other release of b gets past the switch above, so that what follows
	// happens once, and without the lock: reports may call the program.
	s.Unlock()
	switch {
	case f != nil:
		report(f, now)
	case r.guarded:
		now.guard.Free(b[:cap(b)], here.trace())
		bury(r)
	default:
		quarantine(r, b, o, now)
	}
	return true, f == nil
}

// releaseUnknown is Release where no record begins at the first byte of b: b is a
// part of a slice, or the pools did not hand it out, or handed it out when they were
// not checked. If strict is set, it is a misuse to release to o what it has not handed out.
func (now *state) releaseUnknown(b []byte, o Owner, strict bool) (taken, ok bool) {
	base := rt.Address(b)
	if f := now.partReleased(base); f != nil {
		report(f, now)
		return true, false
	}
	guarded := now.guard.Owns != nil && now.guard.Owns(b)
	if !now.strict() && !guarded {
		return false, true
	}
	here := caller()
	r := &record{base: base, extent: cap(b), kind: Slice}
	r.begin(now.epoch, o, cap(b), nil)
	r.serial = 0
	if guarded {
		if now.guard.Free(b, here.trace()) {
			return true, true // it was handed out in an earlier epoch
		}
		report(r.finding(finding.DoubleRelease, "released twice, the first time long ago", here), now)
		return true, false
	}
	if strict {
		report(r.finding(finding.ForeignRelease, "foreign slice released", here), now)
	}
	r.end(quarantined, here)
	track(r)
	quarantine(r, b, o, now)
	return true, true
}

// partReleased notes and describes the release of a part, beginning at p, of a
// tracked slice. It returns nil if p lies in none.
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

// reportsForeign reports whether it is a misuse to release an unknown slice to o: it
// is if everything was seen that o handed out.
func (s *state) reportsForeign(o Owner) bool { return s.Foreign && o.ID() >= s.strictSince }

// Own notes that b belongs to a Buffer, whose leak is reported in place of b's.
func Own(b []byte) { whileInUse(b, func(r *record) { r.owned = true }) }

// Disown notes that b was taken out of its Buffer, by the caller of the method that
// calls Disown, who acquires it here.
func Disown(b []byte) {
	whileInUse(b, func(r *record) {
		r.owned = false
		r.acquire(caller())
	})
}

// Abandon notes that the owner of b leaves it to the collector: it is no leak, and must not be
// released any more.
func Abandon(b []byte) { whileInUse(b, func(r *record) { r.end(gone, caller()) }) }

// whileInUse calls f for the record of b, if b is tracked and in use.
func whileInUse(b []byte, f func(*record)) {
	now := load()
	if now.Mode == Off || cap(b) == 0 {
		return
	}
	s, r := find(rt.Address(b), now)
	defer s.Unlock()
	if r != nil && r.stage == inUse {
		f(r)
	}
}

// watch tracks x, which r describes: collected will be called after the collector
// has taken it.
func watch[T any](r *record, x *T) {
	w := weak.Make(x)
	r.alive = func() bool { return w.Value() != nil }
	track(r)
	runtime.AddCleanup(x, collected, r)
}

// track adds r to the table.
func track(r *record) {
	scopes.Lock() // or Outstanding could miss what moves from the table to a scope
	var found []*finding.Report
	for _, past := range insert(r) {
		remove(past) // from its other regions
		if f := loseLocked(past); f != nil {
			found = append(found, f)
		}
	}
	scopes.Unlock()
	for _, f := range found {
		report(f, load())
	}
}

// collected is the cleanup of the memory or object of r.
func collected(r *record) {
	var f *finding.Report
	scopes.Lock()
	if remove(r) { // else it was forgotten, and may have been released since
		f = loseLocked(r)
	}
	scopes.Unlock()
	if f != nil {
		report(f, load())
	}
}

// loseLocked notes that the memory of r, which was just taken out of the table, was
// collected. It returns a leak if that was one and belongs to no scope. The caller
// holds scopes.
func loseLocked(r *record) (f *finding.Report) {
	s := shardOf(r.base)
	s.Lock()
	replaced := r.header != nil && r.header()
	if r.stage == inUse && !r.owned && !replaced && r.epoch == load().epoch {
		f = r.finding(finding.Leak, "never released", nil)
	}
	r.stage = gone
	s.Unlock()
	if f != nil && takeLostLocked(r, f) {
		return nil
	}
	return f
}
