package report

import (
	"math"
	"slices"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

func taking(name string, times ...float64) contest.Contestant {
	zero := make([]float64, len(times))
	return contest.Contestant{Name: name, Samples: map[string][]float64{
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
	in := contest.Row{Name: "r", Contestants: []contest.Contestant{taking("octet", mine...), taking("slow", slow...), taking("best", best...)}}
	r := summarize(&in)
	if r.best.Name != "best" {
		t.Fatalf("the best rival is %q", r.best.Name)
	}
	for i, want := range []float64{0.8, 2, 1} {
		got := ratio(&r.Contestants[i], r.best, contest.Time)
		if got == nil || math.Abs(got.Center-want) > 1e-9 || math.Abs(got.Lo-got.Hi) > 1e-9 {
			t.Errorf("%s: ratio %+v, want %v", r.Contestants[i].Name, got, want)
		}
		if i == 0 && got.Center != r.ratio.Center {
			t.Errorf("octet's ratio is %+v", r.ratio)
		}
		if side := clearly(got); side != []int{-1, +1, 0}[i] {
			t.Errorf("%v is on side %d of 1", want, side)
		}
	}
	if !slices.Equal(in.Contestants[1].Samples[contest.Time], slow) {
		t.Error("the samples were reordered")
	}
}

// A round in which the rival's figure is 0 does not count; if most are, there is no ratio.
func TestZero(t *testing.T) {
	for _, tt := range []struct {
		rival []float64
		want  float64 // 0 is none
	}{{[]float64{0, 10, 10, 10}, 0.5}, {[]float64{0, 0, 10, 10}, 0}, {[]float64{0, 0, 0, 0}, 0}} {
		r := summarize(&contest.Row{Contestants: []contest.Contestant{taking("octet", 5, 5, 5, 5), taking("rival", tt.rival...)}})
		if got := r.ratio; (got == nil) != (tt.want == 0) || got != nil && got.Center != tt.want {
			t.Errorf("ratio to %v: %+v, want %v", tt.rival, got, tt.want)
		}
	}
}

func TestNobodyToCompare(t *testing.T) {
	r := summarize(&contest.Row{Contestants: []contest.Contestant{taking("octet", 1, 2, 3)}})
	if cell := r.cell(r.octet); r.ratio != nil || cell != "2.000ns" {
		t.Errorf("%s, and a ratio to nobody: %+v", cell, r.ratio)
	}
}

func TestFewRounds(t *testing.T) {
	s := contest.Median([]float64{3, 1, 2})
	if s.Center != 2 || !math.IsInf(s.Hi, 1) {
		t.Errorf("three samples give %+v", s)
	}
	if clearly(&s) != 0 {
		t.Error("an infinite interval is clear")
	}
}

func TestPromise(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		memory, peerMemory, time float64
		memoryKept, timeKept     bool
	}{
		{100 * mib, 100 * mib, 1, true, true},
		{141 * mib, 100 * mib, 1.1, true, true}, // at both bounds
		{142 * mib, 100 * mib, 1, false, true},
		{100 * mib, 100 * mib, 1.11, true, false},
		{17 * mib, 1 * mib, 1, true, true}, // what is small may be many times as much
		{18 * mib, 1 * mib, 2, false, false},
		{49 * mib, 100 * mib, 1.6, true, true},
		{50 * mib, 100 * mib, 1.6, true, false}, // half is not less than half
		{49 * mib, 100 * mib, 1.61, true, false},
	} {
		p := keep(tt.memory, tt.peerMemory, tt.time)
		if p.memoryKept != tt.memoryKept || p.timeKept != tt.timeKept || p.kept() != (tt.memoryKept && tt.timeKept) {
			t.Errorf("%+v: %+v", tt, p)
		}
		if p.memory != tt.memory/tt.peerMemory || p.time != tt.time {
			t.Errorf("%+v: %+v", tt, p)
		}
	}
}

// A promise is about the medians of octet and its peer. Rows that have one count by it alone.
func TestJudgePromises(t *testing.T) {
	needs := func(name string, memory float64, cpu ...float64) contest.Contestant {
		c := contest.Contestant{Name: name, Samples: map[string][]float64{contest.CPU: cpu}}
		if memory > 0 {
			c.Samples[contest.RSS] = []float64{memory, memory, memory}
		}
		return c
	}
	of := func(promise bool, contestants ...contest.Contestant) *row {
		return summarize(&contest.Row{Process: &contest.Process{Promise: promise}, Contestants: contestants})
	}
	octet, cheap := needs("octet", 1<<20, 1, 9, 1), needs("cheap", 1<<20, .1, .1, .1)
	broken := of(true, octet, cheap)
	v := tallied([]*row{
		of(true, octet, needs("level", 1<<20, 1, 9, 9)), // ratios 1, 1, 1/9
		broken,
		of(true, needs("octet", 0, 1, 1, 1), needs("level", 0, 1, 1, 1)), // of unknown memory
		of(false, octet, cheap),
	})
	if v.kept != 1 || v.broken != 1 || broken.promise.time != 10 || v.promises() != 2 {
		t.Errorf("%+v", v)
	}
	if v.rows() != 2 {
		t.Errorf("%d rows count by their ratios: %+v", v.rows(), v)
	}
}
