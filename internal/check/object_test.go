package check

import (
	"runtime"
	"slices"
	"testing"

	"github.com/octet-go/octet/checked/finding"
)

// TestObjects sees what is noticed of objects: that they are released, twice, or to
// an object that they do not belong to.
func TestObjects(t *testing.T) {
	type owner struct{ name string }
	type part [4]int64
	none := (*owner)(nil)
	for _, mode := range []Mode{Sample, Full} {
		find := finds(t, Config{Mode: mode})
		a, b := &owner{"a"}, &owner{"b"}
		// ends calls End, and wants what it returns and what is found.
		ends := func(what string, x *part, of *owner, wantTracked bool, want ...finding.Code) {
			t.Helper()
			var tracked, ok bool
			codes := find(func() { tracked, ok = End(x, of) })
			if tracked != wantTracked || ok != (len(want) == 0) || !slices.Equal(codes, want) {
				t.Errorf("mode %v: %s: tracked %v, ok %v, found %v; want %v, %v, %v", mode, what, tracked, ok, codes, wantTracked, len(want) == 0, want)
			}
		}
		inUse := func(what string, want int) {
			t.Helper()
			n := 0
			for _, r := range new(Scope).Outstanding() {
				if r.Object == "part" {
					n += r.Count
				}
			}
			if n != want {
				t.Errorf("mode %v: %s: %d are in use, want %d", mode, what, n, want)
			}
		}
		track := func(of *owner) *part {
			x := new(part)
			Track(x, of, "part", 32, stubOwner{})
			return x
		}

		x := new(part)
		ends("not tracked", x, a, false)
		ends("not tracked, again", x, none, false)

		x = track(none)
		inUse("tracked", 1)
		ends("of nobody", x, none, true)
		inUse("released", 0)
		ends("twice", x, none, true, finding.DoubleRelease)

		ends("of a", track(a), a, true)
		ends("of a, by who does not ask", track(a), none, true)
		ends("of nobody, as a part of a", track(none), a, true, finding.ForeignRelease)
		inUse("released to the wrong object", map[Mode]int{Sample: 0, Full: 1}[mode])

		y := track(a)
		ends("of a, as a part of b", y, b, true, finding.ForeignRelease)
		if mode == Full { // it is a's still
			ends("of a, after all", y, a, true)
		} else { // the program goes on as if it were right
			ends("of a, again", y, a, true, finding.DoubleRelease)
		}

		z := track(a)
		Set(Config{})
		Set(Config{Mode: mode})
		ends("of the epoch before", z, b, false)
		inUse("of the epoch before", 0)
		runtime.KeepAlive(y)
	}
}

// TestMisused sees that a misuse of a tracked object is reported, with the place of
// its release if that has come so far.
func TestMisused(t *testing.T) {
	finds(t, Config{Mode: Full})
	var found []*finding.Report
	defer Handle(func(r *finding.Report) { found = append(found, r) })()
	misuse := func(x *[4]int64) (r *finding.Report) {
		found = nil
		Misused(x, finding.UseAfterRelease, "used after release")
		if len(found) > 0 {
			r = found[0]
		}
		return r
	}
	x, y := new([4]int64), new([4]int64)
	Track(x, (*int)(nil), "object", 32, stubOwner{})
	if r := misuse(y); r != nil {
		t.Errorf("it is not tracked, and found is %v", r)
	}
	if r := misuse(x); r == nil || r.Released != nil || r.Now == nil {
		t.Errorf("it is about to be released, and found is %v", r)
	}
	End(x, (*int)(nil))
	if r := misuse(x); r == nil || r.Released == nil || r.Code != finding.UseAfterRelease || r.What != "used after release" {
		t.Errorf("it was released, and found is %v", r)
	}
}
