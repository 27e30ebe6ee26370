package flow

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

func TestKnownRoundTrip(t *testing.T) {
	for _, k := range []known{{}, knownNil, knownNonNil, knownTrue, {isConst, `"nil"`}, {isConst, "-3"}} {
		if got := parseKnown(k.String()); got != k {
			t.Errorf("parseKnown(%q) = %v, want %v", k.String(), got, k)
		}
	}
}

// A release is in doubt if callers cannot tell whether it happened: by what
// the function returned, by an argument of theirs, or because there was nothing
// to release.
func TestDoubt(t *testing.T) {
	release := Outcome{Deeds: []Deed{{Op: api.Release, Path: "0"}}}
	with := func(o Outcome, when []Condition, results ...Desc) Outcome {
		o.When, o.Results = when, results
		return o
	}
	for _, c := range []struct {
		name           string
		release, leave Outcome
		doubt          bool
	}{
		{"by nothing", release, Outcome{}, true},
		{"by the result", with(release, nil, Desc{Known: "true"}), with(Outcome{}, nil, Desc{Known: "false"}), false},
		{"by no result", with(release, nil, Desc{Known: "true"}), with(Outcome{}, nil, Desc{}), true},
		{"by a flag", release, with(Outcome{}, []Condition{{"1", "false"}}), false},
		{"by a field", release, with(Outcome{}, []Condition{{"1/.keep", "true"}}), true},
		{"nothing to release", release, with(Outcome{}, []Condition{{"0", "nil"}}), false},
		{"by the size", release, Outcome{Deeds: []Deed{{Op: api.Weigh, Path: "0"}}}, false},
	} {
		sum := &Summary{Outcomes: []Outcome{c.release, c.leave}}
		sum.Outcomes[0].Deeds = append([]Deed(nil), c.release.Deeds...)
		sum.weigh(new(ssa.Function))
		if got := sum.Outcomes[0].Deeds[0].Doubt; got != c.doubt {
			t.Errorf("%s: the release is in doubt: %v, want %v", c.name, got, c.doubt)
		}
		left := len(sum.Outcomes[1].Deeds) > 0 && sum.Outcomes[1].Deeds[0].Op == api.Doubt
		if left != c.doubt {
			t.Errorf("%s: what leaves it alone is in doubt: %v, want %v", c.name, left, c.doubt)
		}
	}
}

func TestTypeAt(t *testing.T) {
	bytes := types.NewSlice(types.Typ[types.Byte])
	inner := types.NewStruct([]*types.Var{types.NewField(0, nil, "B", bytes, false)}, nil)
	outer := types.NewStruct([]*types.Var{types.NewField(0, nil, "in", inner, false)}, nil)
	for path, want := range map[string]types.Type{"": outer, ".in": inner, ".in.B": bytes, ".out": nil, ".in.B.x": nil} {
		if got := typeAt(types.NewPointer(outer), path); got != want {
			t.Errorf("typeAt(%q) = %v, want %v", path, got, want)
		}
	}
}
