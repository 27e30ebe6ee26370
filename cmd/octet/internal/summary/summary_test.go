package summary

import (
	"math"
	"slices"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

func contestant(name string, ours bool, times ...float64) contest.Contestant {
	zero := make([]float64, len(times))
	return contest.Contestant{Name: name, Ours: ours, Samples: map[string][]float64{
		contest.Time: times, contest.Bytes: zero, contest.Allocs: zero,
	}}
}

// Each round takes half as long again as the one before: medians change, and
// ratios do not.
func TestRatioIgnoresDrift(t *testing.T) {
	var mine, best, slow []float64
	for i := range 10 {
		speed := math.Pow(1.5, float64(i))
		mine = append(mine, 8*speed)
		best = append(best, 10*speed)
		slow = append(slow, 20*speed)
	}
	in := contest.Row{Name: "r", Contestants: []contest.Contestant{
		contestant("slow", false, slow...), contestant("octet", true, mine...), contestant("best", false, best...),
	}}
	r := Of(&in)
	if r.Best != "best" {
		t.Fatalf("the best rival is %q", r.Best)
	}
	for i, want := range []float64{2, 0.8, 1} {
		got := r.Contestants[i].Ratio
		if got == nil || math.Abs(got.Center-want) > 1e-9 || math.Abs(got.Lo-got.Hi) > 1e-9 {
			t.Errorf("%s: ratio %+v, want %v", r.Contestants[i].Name, got, want)
		}
	}
	if !slices.Equal(in.Contestants[0].Samples[contest.Time], slow) {
		t.Error("the samples were reordered")
	}
	if Clear(r.Contestants[0].Ratio) != 1 || Clear(r.Contestants[1].Ratio) != -1 || Clear(r.Contestants[2].Ratio) != 0 {
		t.Error("2, 0.8 and 1 are not told apart")
	}
}

// A round in which the rival's figure is 0 does not count; if most are, there is no ratio.
func TestZero(t *testing.T) {
	for _, tt := range []struct {
		rival []float64
		want  float64 // 0 is none
	}{{[]float64{0, 10, 10, 10}, 0.5}, {[]float64{0, 0, 10, 10}, 0}, {[]float64{0, 0, 0, 0}, 0}} {
		r := Of(&contest.Row{Contestants: []contest.Contestant{contestant("octet", true, 5, 5, 5, 5), contestant("rival", false, tt.rival...)}})
		if got := r.Contestants[0].Ratio; (got == nil) != (tt.want == 0) || got != nil && got.Center != tt.want {
			t.Errorf("ratio to %v: %+v, want %v", tt.rival, got, tt.want)
		}
	}
}

func TestNobodyToCompare(t *testing.T) {
	for _, in := range []contest.Row{
		{Contestants: []contest.Contestant{contestant("octet", true, 1, 2, 3)}},
		{Contestants: []contest.Contestant{contestant("rival", false, 1, 2, 3)}},
		{},
	} {
		r := Of(&in)
		if r.Best != "" {
			t.Errorf("best rival %q", r.Best)
		}
		for _, c := range r.Contestants {
			if c.Ratio != nil {
				t.Error("a ratio to nobody")
			}
			if c.Units[contest.Time].Center != 2 {
				t.Errorf("median %v", c.Units[contest.Time].Center)
			}
		}
	}
}

func TestFewRounds(t *testing.T) {
	s := contest.Median([]float64{3, 1, 2})
	if s.Center != 2 || !math.IsInf(s.Hi, 1) {
		t.Errorf("three samples give %+v", s)
	}
	if Clear(&s) != 0 {
		t.Error("an infinite interval is clear")
	}
}
