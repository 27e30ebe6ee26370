package check

import (
	"reflect"

	"github.com/octet-go/octet/internal/finding"
)

// Track tracks x, a new object of the given kind that its caller hands out for
// pool o, until End, unless the mode is off now. size is what reports say of it. of is the object that x
// belongs to, or nil.
func Track[T, U any](x *T, of *U, kind string, size int, o Owner) {
	now := load()
	if now.Mode == Off || now.Mode == Sample && entries.Load() >= maxSampled {
		return
	}
	r := &record{base: addressOf(x), extent: int(reflect.TypeFor[T]().Size()), object: kind}
	if of != nil {
		r.of = addressOf(of)
	}
	r.begin(now.epoch, o, size, size, caller())
	watch(r, x)
}

// recordOf returns the record of x, or nil if it is not tracked, and the shard
// that guards it, locked.
func recordOf[T any](x *T, now *state) (*shard, *record) {
	s := shardOf(addressOf(x))
	s.Lock()
	if r := s.at(addressOf(x)); r != nil && !r.isPast(now) {
		return s, r
	}
	return s, nil
}

// End notes that x is released, as belonging to of unless that is nil. tracked
// says whether it was tracked: such an object is not to be used again. ok is
// false if x was not to be released, or not there.
func End[T, U any](x *T, of *U) (tracked, ok bool) {
	now := load()
	s, r := recordOf(x, now)
	if r == nil {
		s.Unlock()
		return false, true
	}
	here := caller()
	var f *finding.Report
	switch {
	case r.stage != inUse:
		f = r.finding(finding.DoubleRelease, "released twice", here)
	case of != nil && r.of != addressOf(of):
		f = r.finding(finding.ForeignRelease, "released as part of what it does not belong to", here)
		if !now.strict() {
			r.end(gone, here) // and all goes on
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

// Misused reports a misuse of x, which was released, if it is tracked. Its release
// may be on its way to End in another goroutine: the report has no stack of it then.
func Misused[T any](x *T, code finding.Code, what string) {
	now := load()
	s, r := recordOf(x, now)
	if r == nil {
		s.Unlock()
		return
	}
	f := r.finding(code, what, caller())
	s.Unlock()
	report(f, now)
}
