package measure

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/process"
)

// The tests start this test binary as a child, which takes a sample of a
// contestant of childGroups.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == process.Subcommand {
		err := process.Serve(func(t Task) (map[string]float64, error) { return Take(childGroups(), t) })
		if err != nil {
			os.Exit(2)
		}
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // under -race each child would sleep for a second before it exits
	os.Exit(m.Run())
}

const childOperations = 50

// childGroups returns a row that uses child processes, one that does not, and
// one whose contestant fails.
func childGroups() []contest.Group {
	calls := 0
	heavy := contest.Contestant{Name: "heavy", Start: func() contest.Run {
		return contest.Run{
			Do: func(n int) {
				calls++
				for range n {
					sink = make([]byte, 1<<20)
				}
			},
			Metrics: func() map[string]float64 {
				return map[string]float64{
					"calls": float64(calls),
					"pid":   float64(os.Getpid()),
					"limit": float64(len(os.Getenv("OCTET_TEST_LIMIT"))),
				}
			},
		}
	}}
	broken := contest.Contestant{Name: "broken", Start: func() contest.Run {
		return contest.Run{Do: func(int) {}, Err: func() error { return errors.New("byte 7 differs") }}
	}}
	once := &contest.Process{Operations: 1 << 30, Rounds: 1}
	apart := &contest.Process{Operations: childOperations, Env: []string{"OCTET_TEST_LIMIT=64MiB"}}
	return []contest.Group{
		{Name: "apart", Rows: []contest.Row{
			{Name: "op=x", Process: apart, Unit: contest.CPU, Contestants: []contest.Contestant{heavy, {Name: "light", Start: heavy.Start}}},
			{Name: "op=short", Process: once, Contestants: []contest.Contestant{{Name: "short", Start: heavy.Start, Operations: 20}}},
		}},
		{Name: "here", Rows: []contest.Row{{Name: "op=x", Contestants: []contest.Contestant{heavy}}}},
		{Name: "broken", Rows: []contest.Row{{Name: "op=x", Process: apart, Contestants: []contest.Contestant{broken}}}},
	}
}

func TestChildren(t *testing.T) {
	done, total := 0, 0
	groups := childGroups()[:2]
	err := Run(t.Context(), groups, Options{Rounds: 3, Time: 50 * time.Millisecond, Progress: func(d, all int) { done, total = d, all }})
	if err != nil {
		t.Fatal(err)
	}
	if want := 3*2 + 1 + 5*1; done != want || total != want {
		t.Errorf("progress ended at %d of %d, want %d", done, total, want)
	}
	pids := make(map[float64]bool)
	for _, c := range groups[0].Rows[0].Contestants {
		if c.N != childOperations {
			t.Errorf("%s: %d operations", c.Name, c.N)
		}
		for round := range 3 {
			s := func(unit string) float64 { return c.Samples[unit][round] }
			if s("calls") != 1 || s("limit") != 5 {
				t.Errorf("%s: Do was called %v times, with a limit of %v letters", c.Name, s("calls"), s("limit"))
			}
			if pid := s("pid"); pids[pid] || int(pid) == os.Getpid() {
				t.Errorf("%s: process %v was used before", c.Name, pid)
			} else {
				pids[pid] = true
			}
			if b := s(contest.Bytes); b < 1<<20 || b > 11<<17 {
				t.Errorf("%s: %v B/op", c.Name, b)
			}
			if rss, ok := c.Samples[contest.RSS]; ok && (rss[round] < 1<<20 || rss[round] > 100<<20) {
				t.Errorf("%s: %v bytes were resident while 50 MiB were allocated", c.Name, rss[round])
			}
			if s(contest.Time) <= 0 || s(contest.CPU) <= 0 || s(contest.Allocs) < 1 {
				t.Errorf("%s: %v", c.Name, c.Samples)
			}
			if gcs := s(contest.GCs); gcs*childOperations < 1 {
				t.Errorf("%s: %v collections while 50 MiB were allocated", c.Name, gcs*childOperations)
			}
		}
	}
	short := groups[0].Rows[1].Contestants[0]
	if short.N != 20 || len(short.Samples[contest.Time]) != 1 {
		t.Errorf("%d operations in %d rounds", short.N, len(short.Samples[contest.Time]))
	}
	here := groups[1].Rows[0].Contestants[0]
	if _, ok := here.Samples[contest.CPU]; ok || int(here.Samples["pid"][0]) != os.Getpid() {
		t.Error("the other row ran in another process, too")
	}
	if groups[0].Rows[0].Unit != contest.CPU {
		t.Errorf("contestants are compared in %q", groups[0].Rows[0].Unit)
	}
}

func TestChildFails(t *testing.T) {
	err := Run(t.Context(), childGroups()[2:], Options{Rounds: 3, Time: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "broken/op=x: broken: byte 7 differs") {
		t.Errorf("error is %v", err)
	}
}

// A child takes samples only of rows that use child processes.
func TestTakeRefuses(t *testing.T) {
	for _, task := range []Task{{}, {"apart", "op=x", "none"}, {"here", "op=x", "heavy"}} {
		if units, err := Take(childGroups(), task); err == nil {
			t.Errorf("%+v: %v", task, units)
		}
	}
}
