package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// noisy returns a run of 50 rows, each with octet and a rival, whose times
// spread by ten percent and whose allocations are constant. Octet's times and
// allocations are multiplied by the factors.
func noisy(seed uint64, time, memory float64) *sample.Run {
	rnd := rand.New(rand.NewPCG(1, seed))
	run := &sample.Run{Groups: []sample.Group{{Name: "g"}}}
	for i := range 50 {
		r := sample.Row{Name: fmt.Sprint("row=", i)}
		for _, ours := range []bool{true, false} {
			c := sample.Contestant{Name: "rival", N: 1e5, Samples: make(map[string][]float64)}
			t, m := 1.0, 1.0
			if ours {
				c.Name, c.Ours, t, m = "octet", true, time, memory
			}
			for range 10 {
				c.Samples[sample.Time] = append(c.Samples[sample.Time], t*10*math.Exp(0.1*rnd.NormFloat64()))
				c.Samples[sample.Bytes] = append(c.Samples[sample.Bytes], m*64)
				c.Samples[sample.Allocs] = append(c.Samples[sample.Allocs], m)
			}
			r.Contestants = append(r.Contestants, c)
		}
		run.Groups[0].Rows = append(run.Groups[0].Rows, r)
	}
	return run
}

func limits(t *testing.T, texts ...string) []Limit {
	var out []Limit
	for _, s := range texts {
		l, err := ParseLimit(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// Of a hundred pairs of runs that differ only by chance, about five may show a
// difference, and none crosses a limit of ten percent.
func TestUnchanged(t *testing.T) {
	all := limits(t, "ns/op>+10%", "B/op>+0%", "allocs/op>+0%")
	found := 0
	for i := range uint64(100) {
		old, new := noisy(2*i, 1, 1), noisy(2*i+1, 1, 1)
		for _, c := range Runs(old, new).Changes {
			if c.Significant() {
				found++
				break
			}
		}
		if crossed := Crossed(all, old, new); len(crossed) > 0 {
			t.Errorf("crossed by chance: %+v", crossed)
		}
	}
	if found > 12 {
		t.Errorf("%d of 100 pairs show a difference", found)
	}
}

func TestChanged(t *testing.T) {
	old, new := noisy(1, 1, 1), noisy(2, 1.5, 2)
	mine, rivals := 0, 0
	for _, c := range Runs(old, new).Changes {
		switch {
		case c.Ours && c.Significant():
			mine++
			if d := c.Delta(); d < 0.2 || d > 1.01 {
				t.Errorf("%s of %s changed by %v", c.Unit, c.Row, d)
			}
		case c.Significant():
			rivals++
		}
	}
	if mine < 3*50*9/10 || rivals > 0 {
		t.Errorf("%d changes of octet, %d of rivals; 150 and 0 were made", mine, rivals)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		time, memory float64
		limit        string
		crossed      bool
	}{
		{1.5, 1, "ns/op>+10%", true},
		{1.5, 1, "ns/op>+100%", false},
		{0.5, 1, "ns/op>+10%", false},
		{1.5, 1, "B/op>+0%", false},
		{1, 2, "B/op>+50%", true},
		{1, 2, "B/op>+150%", false},
		{1, 2, "allocs/op>+0%", true},
		{1, 2, "ns/op>+0%", false},
		{1, 0.5, "allocs/op>+0%", false},
	} {
		crossed := Crossed(limits(t, tt.limit), noisy(1, 1, 1), noisy(2, tt.time, tt.memory))
		if got := len(crossed) > 0; got != tt.crossed {
			t.Errorf("time × %v, memory × %v, limit %s: crossed %v times", tt.time, tt.memory, tt.limit, len(crossed))
		}
		for _, c := range crossed {
			if !c.Ours {
				t.Errorf("%s is a rival", c.Contestant)
			}
		}
	}
}

// The first allocation crosses a limit, although ten percent of zero is zero;
// what the runtime allocates in the meantime does not.
func TestFromNothing(t *testing.T) {
	old, new := noisy(1, 1, 0), noisy(2, 1, 1)
	if len(Crossed(limits(t, "allocs/op>+10%"), old, new)) != 50 {
		t.Error("an allocation where there was none crosses no limit")
	}
	if d := (&Change{Old: 0, New: 1}).Delta(); !math.IsInf(d, 1) {
		t.Errorf("from 0 to 1 is a change of %v", d)
	}
	if d := (&Change{}).Delta(); d != 0 {
		t.Errorf("from 0 to 0 is a change of %v", d)
	}
	for _, r := range new.Groups[0].Rows {
		r.Contestants[0].N = 1 // so it is one allocation in a whole slice
	}
	if crossed := Crossed(limits(t, "allocs/op>+10%"), old, new); len(crossed) > 0 {
		t.Errorf("crossed by one allocation: %+v", crossed[0])
	}
}

// slow multiplies the times of the contestants that which selects by factor.
func slow(r *sample.Run, factor float64, which func(row int, c *sample.Contestant) bool) *sample.Run {
	for i := range r.Groups[0].Rows {
		for j := range r.Groups[0].Rows[i].Contestants {
			c := &r.Groups[0].Rows[i].Contestants[j]
			if which(i, c) {
				for k := range c.Samples[sample.Time] {
					c.Samples[sample.Time][k] *= factor
				}
			}
		}
	}
	return r
}

func TestGrants(t *testing.T) {
	all := func(int, *sample.Contestant) bool { return true }
	row7 := func(row int, _ *sample.Contestant) bool { return row == 7 }
	ours7 := func(row int, c *sample.Contestant) bool { return row == 7 && c.Ours }
	for _, tt := range []struct {
		name    string
		new     *sample.Run
		crossed int
	}{
		{"a machine that is a little slower", slow(noisy(2, 1, 1), 1.2, all), 0},
		{"another machine", slow(noisy(2, 1, 1), 2, all), 50},
		{"a disturbed row", slow(noisy(2, 1, 1), 8, row7), 0},
		{"a row in which octet is slower", slow(noisy(2, 1, 1), 2, ours7), 1},
		{"the same on a slower machine", slow(slow(noisy(2, 1, 1), 1.2, all), 2, ours7), 1},
	} {
		crossed := Crossed(limits(t, "ns/op>+10%"), noisy(1, 1, 1), tt.new)
		if len(crossed) < tt.crossed*9/10 || len(crossed) > tt.crossed {
			t.Errorf("%s: crossed %d times, want %d", tt.name, len(crossed), tt.crossed)
		}
	}
	if d := Drift(Runs(noisy(1, 1, 1), slow(noisy(2, 1, 1), 1.2, all)).Changes); d < 1.15 || d > 1.25 {
		t.Errorf("a drift of %v, 1.2 was made", d)
	}
	if d := Drift(nil); d != 1 {
		t.Errorf("a drift of %v without rivals", d)
	}
}

func TestDifferentRows(t *testing.T) {
	old, new := noisy(1, 1, 1), noisy(2, 1, 1)
	old.Groups[0].Rows = old.Groups[0].Rows[:30]
	new.Groups[0].Rows = new.Groups[0].Rows[10:]
	r := Runs(old, new)
	if r.Gone != 20 || r.Fresh != 40 || len(r.Changes) != 20*2*3 {
		t.Errorf("%d gone, %d fresh, %d changes", r.Gone, r.Fresh, len(r.Changes))
	}
}

func TestHolm(t *testing.T) {
	changes := []Change{{P: 0.04}, {P: 0.01}, {P: 0.03}, {P: 0.005}}
	holm(changes)
	for i, want := range []float64{0.06, 0.03, 0.06, 0.02} { // Holm 1979: multiplied by 4, 3, 2, 1, and never falling
		if math.Abs(changes[i].P-want) > 1e-12 {
			t.Errorf("P[%d] is %v, want %v", i, changes[i].P, want)
		}
	}
}

func TestEnough(t *testing.T) {
	// The least P of two samples of n is 0.029 for 4, 0.0079 for 5, 1.1e-5 for 10.
	for _, tt := range []struct {
		n1, n2, comparisons int
		want                bool
	}{
		{3, 3, 1, false},
		{4, 4, 1, true},
		{4, 4, 2, false},
		{5, 5, 6, true},
		{5, 5, 7, false},
		{10, 10, 900, true},
		{10, 4, 900, false},
		{0, 10, 1, false},
	} {
		if got := Enough(tt.n1, tt.n2, tt.comparisons); got != tt.want {
			t.Errorf("Enough(%d, %d, %d) is %v", tt.n1, tt.n2, tt.comparisons, got)
		}
	}
}

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]Limit{
		"ns/op>+10%":       {sample.Time, 1.1},
		"ns/op>10%":        {sample.Time, 1.1},
		" B/op > +2.5 % ":  {sample.Bytes, 1.025},
		"allocs/op>+0%":    {sample.Allocs, 1},
		"allocs/op>+1000%": {sample.Allocs, 11},
	} {
		if got, err := ParseLimit(text); err != nil || got.Unit != want.Unit || math.Abs(got.Factor-want.Factor) > 1e-9 {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "ns/op", "ns/op>10", "ns/op<10%", "ns/op>-10%", "MB/s>10%", "ns/op>+1e3%", "ns/op>10%%", "ns/op>10% B/op>1%", "ns/op>1000001%", "ns/op>" + strings.Repeat("9", 400) + "%"} {
		if got, err := ParseLimit(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
