package summary

import (
	"reflect"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// around returns ten times, spread evenly around ns by the given fraction.
func around(ns, spread float64) []float64 {
	var times []float64
	for i := range 10 {
		times = append(times, ns*(1+spread*(float64(i)-4.5)/4.5))
	}
	return times
}

// against returns a row in which octet takes these times, and the rival 10 ns.
func against(name string, times []float64) Row {
	return Of(&contest.Row{Name: name, Contestants: []contest.Contestant{
		contestant("octet", true, times...), contestant("rival", false, around(10, 0)...),
	}})
}

func TestJudge(t *testing.T) {
	portable := against("engine=portable", around(100, 0))
	portable.Aside = "Another engine."
	v := Judge("g", []Row{
		against("a", around(5, 0.01)),
		against("b", around(8, 0.01)),
		against("c", around(10, 0.02)),
		against("clear, and by less than a tenth", around(9.2, 0.001)),
		against("the same above 1", around(10.8, 0.001)),
		against("d", around(9.9, 0.5)),
		against("wide, and faster", around(5, 0.5)),
		against("e", around(23, 0.05)),
		portable,
		Of(&contest.Row{Name: "no octet", Contestants: []contest.Contestant{contestant("rival", false, around(10, 0)...)}}),
	})
	want := Verdict{Group: "g", Faster: 3, Level: 3, Slower: 1, Unclear: 1, Typical: v.Typical, Worst: v.Worst, SlowerRows: []Comparison{v.Worst}, Aside: 2}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("%+v, want %+v", v, want)
	}
	if v.Typical < 0.91 || v.Typical > 0.93 { // in the middle: d does not count
		t.Errorf("the typical ratio is %v", v.Typical)
	}
	if w := v.Worst; w.Row != "e" || w.Rival != "rival" || w.Unit != contest.Time || w.Ratio < 2.29 || w.Ratio > 2.31 || w.By < 12.9 || w.By > 13.1 {
		t.Errorf("the worst row is %+v", w)
	}
	if v.Rows() != 8 {
		t.Errorf("%d rows", v.Rows())
	}
}

// With too few rounds for an interval, all rows are unclear.
func TestJudgeFewRounds(t *testing.T) {
	v := Judge("g", []Row{Of(&contest.Row{Name: "a", Contestants: []contest.Contestant{
		contestant("octet", true, 1, 1, 1), contestant("rival", false, 2, 2, 2),
	}})})
	if v.Unclear != 1 || v.Rows() != 1 || v.Typical != 0 {
		t.Errorf("%+v", v)
	}
}

func TestJudgeNothing(t *testing.T) {
	if v := Judge("g", nil); !reflect.DeepEqual(v, Verdict{Group: "g"}) {
		t.Errorf("%+v", v)
	}
}

// If octet has several contestants, the best of them is compared with the best
// rival.
func TestJudgeSeveralOfOctet(t *testing.T) {
	v := Judge("g", []Row{Of(&contest.Row{Name: "a", Contestants: []contest.Contestant{
		contestant("octet, one way", true, around(20, 0)...),
		contestant("octet, another", true, around(5, 0)...),
		contestant("rival", false, around(10, 0)...),
	}})})
	if v.Faster != 1 || v.Typical != 0.5 {
		t.Errorf("%+v", v)
	}
}

// A row may be compared in another unit than time.
func TestUnit(t *testing.T) {
	for _, tt := range []struct {
		unit string
		best string
		want float64 // octet's ratio
	}{
		{contest.RSS, "small", 3},
	} {
		in := contest.Row{Name: "r", Unit: tt.unit, Contestants: []contest.Contestant{
			contestant("octet", true, around(1, 0)...),
			contestant("big", false, around(1, 0)...),
			contestant("small", false, around(1, 0)...),
		}}
		for i, v := range []float64{6, 12, 2} {
			in.Contestants[i].Samples[tt.unit] = around(v, 0)
		}
		r := Of(&in)
		if r.Best != tt.best {
			t.Errorf("%s: the best rival is %q, want %q", tt.unit, r.Best, tt.best)
		}
		if got := r.Contestants[0].Ratio; got == nil || got.Center != tt.want {
			t.Errorf("%s: ratio %+v, want %v", tt.unit, got, tt.want)
		}
	}
}
