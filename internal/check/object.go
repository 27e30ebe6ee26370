package check

import (
	"reflect"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/rt"
)

// Track tracks x, a new object that is about to be handed out for pool o, until End,
// unless the mode is off. The kind and size are what reports say of it. If of is not
// nil, x belongs to that object.
func Track[T, U any](x *T, of *U, kind Kind, size int, o Owner) {
	now := load()
	if now.Mode == Off || !now.countSampled() {
		return
	}
	r := &record{base: rt.AddressOf(x), extent: int(reflect.TypeFor[T]().Size()), kind: kind}
	if of != nil {
		r.of = rt.AddressOf(of)
	}
	r.begin(now.epoch, o, size, caller())
	watch(r, x)
}

// End notes that x is released, to the object that it belongs to if of is not nil.
// A tracked object must not be handed out again. ok is false if the release was a
// misuse, which is reported.
func End[T, U any](x *T, of *U) (tracked, ok bool) {
	now := load()
	s, r := find(rt.AddressOf(x), now)
	if r == nil {
		s.Unlock()
		return false, true
	}
	here := caller()
	var f *finding.Report
	switch {
	case r.stage != inUse:
		f = r.finding(finding.DoubleRelease, "released twice", here)
	case of != nil && r.of != rt.AddressOf(of):
		f = r.finding(finding.ForeignRelease, "released as part of what it does not belong to", here)
		if !now.strict() {
			r.end(gone, here) // mode sample reports, and lets the program go on
		}
	default:
		r.end(gone, here)
	}
	s.Unlock()
	if f != nil {
		report(f, now)
	}
	return true, f == nil
}

// Misused reports a misuse of x, which was released, if x is tracked. If another
// goroutine is releasing it and has not called End yet, the report does not say
// where.
func Misused[T any](x *T, code finding.Code, what string) {
	now := load()
	s, r := find(rt.AddressOf(x), now)
	if r == nil {
		s.Unlock()
		return
	}
	f := r.finding(code, what, caller())
	s.Unlock()
	report(f, now)
}
