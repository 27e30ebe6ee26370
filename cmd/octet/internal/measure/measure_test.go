package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

var sink []byte

// row returns a row of contestants that do nothing but log their calls.
func row(log func(string), names ...string) contest.Row {
	r := contest.Row{Name: "op=log"}
	for _, name := range names {
		r.Contestants = append(r.Contestants, contest.Contestant{
			Name: name,
			Start: func() func(int) {
				log("start " + name)
				return func(n int) {
					log("do " + name)
					for range n {
						sink = sink[:0]
					}
				}
			},
		})
	}
	return r
}

func TestRoundsInterleave(t *testing.T) {
	var log []string
	note := func(s string) { log = append(log, s) }
	groups := []contest.Group{{Name: "g", Rows: []contest.Row{row(note, "a", "b", "c"), row(note, "d")}}}
	done, total := 0, 0
	err := Run(t.Context(), groups, Options{
		Rounds:   12,
		Time:     time.Minute, // more than is needed
		MaxSlice: time.Millisecond,
		Progress: func(d, all int) {
			if d != done+1 {
				t.Errorf("progress went from %d to %d", done, d)
			}
			done, total = d, all
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if done != total {
		t.Errorf("progress ended at %d of %d", done, total)
	}
	for _, r := range groups[0].Rows {
		for _, c := range r.Contestants {
			for _, unit := range []string{contest.Time, contest.Bytes, contest.Allocs} {
				if n := len(c.Samples[unit]); n != 12 {
					t.Errorf("%s has %d samples of %s", c.Name, n, unit)
				}
			}
		}
	}

	// In the twelve rounds after calibration, no contestant
	// starts a second time before all have started, and only the one that started last works.
	var starts []string
	running := ""
	for _, s := range log {
		verb, name, _ := strings.Cut(s, " ")
		switch verb {
		case "start":
			running = name
			starts = append(starts, name)
		case "do":
			if name != running {
				t.Fatalf("%s works after %s has started", name, running)
			}
		}
	}
	if len(starts) < 4*(12+1) {
		t.Fatalf("%d starts", len(starts))
	}
	starts = starts[len(starts)-4*12:]
	orders := make(map[string]bool)
	for round := range slices.Chunk(starts, 4) {
		if round[3] != "d" {
			t.Fatalf("a row is not finished before the next begins: %v", round)
		}
		orders[strings.Join(round, "")] = true
		if slices.Sort(round); !slices.Equal(round, []string{"a", "b", "c", "d"}) {
			t.Errorf("a round of %v", round)
		}
	}
	if len(orders) == 1 {
		t.Error("twelve rounds in the same order") // by chance once in 6^11
	}
}

func TestAllocations(t *testing.T) {
	size := 1000
	groups := []contest.Group{{Name: "g", Rows: []contest.Row{{Name: "r", Contestants: []contest.Contestant{
		{Name: "two", Start: func() func(int) {
			sink = make([]byte, 1<<20) // not counted: it is in Start
			return func(n int) {
				for range n {
					sink = make([]byte, size) // the allocator rounds up to 1,024 bytes
					sink = make([]byte, size)
				}
			}
		}},
		{Name: "none", Start: func() func(int) { return func(int) {} }},
	}}}}}
	err := Run(t.Context(), groups, Options{Rounds: 3, Time: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	two, none := groups[0].Rows[0].Contestants[0], groups[0].Rows[0].Contestants[1]
	for round := range 3 {
		// A few more bytes belong to the runtime, for collections for
		// example.
		if b := two.Samples[contest.Bytes][round]; b < 2048 || b > 2148 {
			t.Errorf("%v B/op, want 2048", b)
		}
		if a := two.Samples[contest.Allocs][round]; math.Floor(a) != 2 {
			t.Errorf("%v allocs/op, want 2", a)
		}
		if b, a := none.Samples[contest.Bytes][round], none.Samples[contest.Allocs][round]; b >= 1 || a >= 1 {
			t.Errorf("nothing allocates %v B/op, %v allocs/op", b, a)
		}
	}
	if none.N < 1 || none.N > maxOperations {
		t.Errorf("%d operations at once", none.N)
	}
}

// Operations that take longer than all the available time are still measured a
// few times.
func TestTimeRunsOut(t *testing.T) {
	groups := []contest.Group{{Name: "g", Rows: []contest.Row{{Name: "r", Contestants: []contest.Contestant{{
		Name: "slow", Start: func() func(int) {
			return func(n int) { time.Sleep(time.Duration(n) * 2 * time.Millisecond) }
		},
	}}}}}}
	err := Run(t.Context(), groups, Options{Rounds: 50, Time: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if n := groups[0].Rows[0].Rounds(); n != fewestRounds {
		t.Errorf("%d rounds in no time, want %d", n, fewestRounds)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	slices := 0
	groups := []contest.Group{{Name: "g", Rows: []contest.Row{row(func(string) {}, "a", "b")}}}
	err := Run(ctx, groups, Options{Rounds: 100, Time: time.Hour, MaxSlice: time.Millisecond, Progress: func(int, int) {
		if slices++; slices == 9 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || slices != 9 {
		t.Errorf("error is %v after %d slices", err, slices)
	}
}

// A slice has the operations that fill it, and no fewer than the row wants.
func TestCalibrate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			fixed, each time.Duration // of a call, and of an operation
			least       int
			want        int
		}{
			{0, time.Microsecond, 1, 10_000},
			{0, time.Microsecond, 20_000, 20_000},
			{0, time.Second, 1, 1},
			{time.Millisecond, time.Microsecond, 1, 8_000},
		} {
			c := &contest.Contestant{Start: func() func(int) {
				return func(n int) { time.Sleep(tt.fixed + time.Duration(n)*tt.each) }
			}}
			calibrate(c, tt.least, 10*time.Millisecond)
			if c.N < tt.want*8/10 || c.N > tt.want*11/10 {
				t.Errorf("%+v: %d operations", tt, c.N)
			}
		}
	})
	for _, tt := range []struct {
		contestants int
		most        time.Duration
		want        time.Duration
	}{{10, 0, 75 * time.Millisecond}, {10, 20 * time.Millisecond, 20 * time.Millisecond}, {10_000, 0, minSlice}, {0, 0, 7500 * time.Millisecond}} {
		if got := sliceLength(tt.contestants, Options{Rounds: 8, Time: 10 * time.Second, MaxSlice: tt.most}); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
