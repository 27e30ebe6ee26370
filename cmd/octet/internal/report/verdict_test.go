package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

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
func against(name string, times []float64) *row {
	return summarize(&contest.Row{Name: name, Contestants: []contest.Contestant{
		taking("octet", true, times...), taking("rival", false, around(10, 0)...),
	}})
}

// tallied returns the tally of rows.
func tallied(rs ...*row) (t tally) {
	for _, r := range rs {
		t.add(r)
	}
	return t
}

func TestTally(t *testing.T) {
	text.DisableColors()
	portable := against("engine=portable", around(100, 0))
	portable.Aside = "Another engine."
	v := tallied(
		against("a", around(5, 0.01)),
		against("b", around(8, 0.01)),
		against("c", around(10, 0.02)),
		against("clear, and by less than a tenth", around(9.2, 0.001)),
		against("the same above 1", around(10.8, 0.001)),
		against("d", around(9.9, 0.5)),
		against("wide, and faster", around(5, 0.5)),
		against("e", around(23, 0.05)),
		portable,
		summarize(&contest.Row{Name: "no octet", Contestants: []contest.Contestant{taking("rival", false, around(10, 0)...)}}),
	)
	if v.aside != 2 || v.rows() != 8 {
		t.Errorf("%+v", v)
	}
	// The typical ratio is in the middle: d does not count.
	if got, want := fmt.Sprint(v.line("g")), "[g 3 3 1 1 0.92× 2.30× e (rival)]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := slower(&v); got != "Octet is slower by 13 ns on e (rival)." {
		t.Error(got)
	}
	if got := compared(&v); got != "It is faster than the best rival on 3 of 8 rows, level on 3, slower on 1. On 1 that is unclear: for more, allow more --time, or --run fewer rows." {
		t.Error(got)
	}
	five := tallied(v.slower[0], v.slower[0], against("f", around(30, 0)), v.slower[0], v.slower[0])
	if got := slower(&five); !strings.HasPrefix(got, "Octet is slower by 20 ns on f (rival), by 13 ns on e") || !strings.HasSuffix(got, "and on 2 more.") {
		t.Error(got)
	}
}

// With too few rounds for an interval, all rows are unclear.
func TestTallyOfFewRounds(t *testing.T) {
	v := tallied(summarize(&contest.Row{Name: "a", Contestants: []contest.Contestant{
		taking("octet", true, 1, 1, 1), taking("rival", false, 2, 2, 2),
	}}))
	if got := fmt.Sprint(v.line("g")); got != "[g 0 0 0 1  ]" {
		t.Error(got)
	}
}

// If octet has several contestants, the best of them is compared with the best
// rival.
func TestSeveralOfOctet(t *testing.T) {
	r := summarize(&contest.Row{Name: "a", Contestants: []contest.Contestant{
		taking("octet, one way", true, around(20, 0)...),
		taking("octet, another", true, around(5, 0)...),
		taking("rival", false, around(10, 0)...),
	}})
	if r.ratio.Center != 0.5 || r.ours.Name != "octet, another" {
		t.Errorf("%+v of %s", r.ratio, r.ours.Name)
	}
}

// A row may be compared in another unit than time.
func TestUnit(t *testing.T) {
	in := contest.Row{Name: "r", Unit: contest.RSS, Contestants: []contest.Contestant{
		taking("octet", true, around(1, 0)...),
		taking("big", false, around(1, 0)...),
		taking("small", false, around(1, 0)...),
	}}
	for i, v := range []float64{6, 12, 2} {
		in.Contestants[i].Samples[contest.RSS] = around(v, 0)
	}
	if r := summarize(&in); r.best.Name != "small" || r.ratio.Center != 3 {
		t.Errorf("the best rival is %s, and the ratio %+v", r.best.Name, r.ratio)
	}
}
