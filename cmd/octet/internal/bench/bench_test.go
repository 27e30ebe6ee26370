package bench

import (
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/measure"
)

func TestChoose(t *testing.T) {
	src := Source(func() []contest.Group {
		return []contest.Group{
			{Name: "a", Rows: []contest.Row{{Name: "x=1"}, {Name: "op=Get+Put/x=3", About: "It is."}}},
			{Name: "b", Rows: []contest.Row{{Name: "x=1"}}},
		}
	})
	const getPut = "  a/op=Get+Put/x=3\n      It is.\n"
	for run, want := range map[string]string{
		"":                 "a\n  a/x=1\n" + getPut + "b\n  b/x=1\n",
		"^a/":              "a\n  a/x=1\n" + getPut,
		"x=1":              "a\n  a/x=1\nb\n  b/x=1\n",
		"a/op=Get+Put/x=3": "a\n" + getPut, // as listed, although + has a meaning in a regexp
		"(":                "--run: error parsing regexp",
		"^c":               "groups are a, b; ",
	} {
		var b strings.Builder
		if err := src.printList(&b, run); err != nil {
			if b.Len() > 0 || !strings.Contains(err.Error(), want) {
				t.Errorf("--list --run %q: %v, %q; want %q", run, err, b.String(), want)
			}
		} else if b.String() != want {
			t.Errorf("--list --run %q: %q, want %q", run, b.String(), want)
		}
	}
}

// A run says how many rounds it has, and why they are fewer than were asked for.
func TestMade(t *testing.T) {
	row := func(times ...float64) contest.Row {
		return contest.Row{Contestants: []contest.Contestant{{Samples: map[string][]float64{contest.Time: times}}}}
	}
	once := row(1)
	once.Process = new(contest.Process)
	groups := []contest.Group{{Rows: []contest.Row{row(1, 2, 3), row(3, 2, 1)}}}
	for _, tt := range []struct {
		groups []contest.Group
		o      measure.Options
		want   string
	}{
		{groups, measure.Options{Rounds: 3}, "3 rounds"},
		{groups, measure.Options{Rounds: 9}, "3 of 9 rounds, because time ran out"},
		{groups, measure.Options{Rounds: 9, Layouts: []string{"1", "2", "3"}}, "medians of 3 layouts of the program"},
		{[]contest.Group{{Rows: []contest.Row{once}}}, measure.Options{Rounds: 9, ProcessRounds: 1}, "1 rounds"},
	} {
		if got := made(tt.groups, tt.o); got != tt.want {
			t.Errorf("%+v: %s", tt.o, got)
		}
	}
}

// Patterns of use take as many rounds as were asked for, or half of the default, or one in a
// quick run.
func TestPatternRounds(t *testing.T) {
	for _, tt := range []struct {
		f    flags
		args []string
		want int
	}{
		{flags{rounds: 10}, nil, 5},
		{flags{rounds: 10, quick: true}, nil, 1},
		{flags{rounds: 7}, []string{"--rounds=7"}, 7},
		{flags{rounds: 7, quick: true}, []string{"--rounds=7"}, 7},
	} {
		fl := Command(nil).Flags()
		if err := fl.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		if tt.f.complete(fl); tt.f.patterns != tt.want {
			t.Errorf("%+v: %d rounds of patterns", tt.f, tt.f.patterns)
		}
	}
}
