package summary

import (
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

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
		p := keep("r", "p", tt.memory, tt.peerMemory, tt.time)
		if p.MemoryKept != tt.memoryKept || p.TimeKept != tt.timeKept || p.Kept() != (tt.memoryKept && tt.timeKept) {
			t.Errorf("%+v: %+v", tt, p)
		}
		if p.Row != "r" || p.Peer != "p" || p.MemoryRatio != tt.memory/tt.peerMemory || p.TimeRatio != tt.time {
			t.Errorf("%+v: %+v", tt, p)
		}
	}
}

// A promise is about the medians of octet and the row's peer, whatever the others need. Rows
// that have one count by it alone.
func TestJudgePromises(t *testing.T) {
	needs := func(name string, memory float64, cpu ...float64) contest.Contestant {
		c := contest.Contestant{Name: name, Ours: name == "octet", Samples: map[string][]float64{contest.CPU: cpu}}
		if memory > 0 {
			c.Samples[contest.RSS] = []float64{memory, memory, memory}
		}
		return c
	}
	row := func(name, peer string, contestants ...contest.Contestant) Row {
		return Of(&contest.Row{Name: name, Unit: contest.CPU, Peer: peer, Contestants: contestants})
	}
	octet, cheap := needs("octet", 1<<20, 1, 9, 1), needs("cheap", 1<<20, .1, .1, .1)
	v := Judge("g", []Row{
		row("kept", "level", octet, cheap, needs("level", 1<<20, 1, 9, 9)), // ratios 1, 1, 1/9
		row("broken", "cheap", octet, cheap),
		row("unknown", "level", needs("octet", 0, 1, 1, 1), needs("level", 0, 1, 1, 1)),
		row("none", "", octet, cheap),
	})
	if v.Kept != 1 || len(v.Broken) != 1 || v.Broken[0].Row != "broken" || v.Broken[0].TimeRatio != 10 || v.Promises() != 2 {
		t.Errorf("%+v", v)
	}
	if v.Rows() != 2 {
		t.Errorf("%d rows count by their ratios: %+v", v.Rows(), v)
	}
}
