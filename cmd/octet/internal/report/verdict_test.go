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
		taking("octet", times...), taking("rival", around(10, 0)...),
	}})
}

func TestTally(t *testing.T) {
	text.DisableColors()
	portable := against("engine=portable", around(100, 0))
	portable.Aside = "Another engine."
	v := tallied([]*row{
		against("a", around(5, 0.01)),
		against("b", around(8, 0.01)),
		against("c", around(10, 0.02)),
		against("clear, and by less than a tenth", around(9.2, 0.001)),
		against("the same above 1", around(10.8, 0.001)),
		against("d", around(9.9, 0.5)),
		against("wide, and faster", around(5, 0.5)),
		against("e", around(23, 0.05)),
		portable,
		summarize(&contest.Row{Name: "no rival", Contestants: []contest.Contestant{taking("octet", around(10, 0)...)}}),
	})
	if v.aside != 2 || v.rows() != 8 {
		t.Errorf("%+v", v)
	}
	// The typical ratio is in the middle: d does not count.
	if got, want := fmt.Sprint(v.line("g")), "[g 3 3 1 1 0.92× 2.30× e (rival)]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := slower(&v); got != "Octet is slower by 13.00ns on e (rival)." {
		t.Error(got)
	}
	if got := compared(&v); got != "It is faster than the best rival on 3 of 8 rows, level on 3, slower on 1. On 1 that is unclear: for more, allow more --time, or --run fewer rows." {
		t.Error(got)
	}
	five := tallied([]*row{v.slower[0], v.slower[0], against("f", around(30, 0)), v.slower[0], v.slower[0]})
	if got := slower(&five); !strings.HasPrefix(got, "Octet is slower by 20.00ns on f (rival), by 13.00ns on e") || !strings.HasSuffix(got, "and on 2 more.") {
		t.Error(got)
	}
}

// With too few rounds for an interval, all rows are unclear.
func TestTallyOfFewRounds(t *testing.T) {
	v := tallied([]*row{summarize(&contest.Row{Name: "a", Contestants: []contest.Contestant{
		taking("octet", 1, 1, 1), taking("rival", 2, 2, 2),
	}})})
	if got := fmt.Sprint(v.line("g")); got != "[g 0 0 0 1  ]" {
		t.Error(got)
	}
}

// Rows with processes of their own are compared in processor time.
func TestUnit(t *testing.T) {
	in := contest.Row{Name: "r", Process: new(contest.Process), Contestants: []contest.Contestant{
		taking("octet", around(1, 0)...), taking("slow", around(1, 0)...), taking("fast", around(1, 0)...),
	}}
	for i, ns := range []float64{6, 12, 2} {
		in.Contestants[i].Samples[contest.CPU] = around(ns, 0)
	}
	if r := summarize(&in); r.best.Name != "fast" || r.ratio.Center != 3 || r.cell(r.octet) != "6.000ns 3.00×" {
		t.Errorf("the best rival is %s, and octet has %s", r.best.Name, r.cell(r.octet))
	}
}
