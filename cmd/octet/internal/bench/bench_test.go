package bench

import (
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// source has two groups that always run, and one that is opt-in.
func source() []contest.Group {
	rows := func(names ...string) []contest.Row {
		var rows []contest.Row
		for _, name := range names {
			rows = append(rows, contest.Row{Name: name})
		}
		return rows
	}
	return []contest.Group{
		{Name: "a", Rows: rows("x=1", "x=2", "op=Get+Put/x=3")},
		{Name: "b", Rows: rows("x=1")},
		{Name: "slow", OptIn: true, Rows: rows("x=1", "y=1")},
	}
}

func TestChoose(t *testing.T) {
	src := Source(source)
	for _, tt := range []struct{ run, want string }{
		{"", "a/x=1 a/x=2 a/op=Get+Put/x=3 b/x=1"},
		{"^a/", "a/x=1 a/x=2 a/op=Get+Put/x=3"},
		{"x=1", "a/x=1 b/x=1"},
		{"op=", "a/op=Get+Put/x=3"},
		{"a/op=Get+Put/x=3", "a/op=Get+Put/x=3"}, // as listed, although + has a meaning in a regexp
		{"(", "--run: error parsing regexp"},
		{"^c", "groups are a, b, slow; "},

		{"slow", "slow/x=1 slow/y=1"},
		{"^slow/x", "slow/x=1"},
		{"^(b|slow)/", "b/x=1 slow/x=1 slow/y=1"},
		{".", "a/x=1 a/x=2 a/op=Get+Put/x=3 b/x=1"},
		{"y=1", "only rows of slow, which run only if --run contains the group's name"},
	} {
		groups, err := src.choose(tt.run)
		var names []string
		for _, g := range groups {
			for _, r := range g.Rows {
				names = append(names, g.Name+"/"+r.Name)
			}
		}
		if err != nil {
			if len(names) > 0 || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("--run %q: %v, %v; want %q", tt.run, names, err, tt.want)
			}
		} else if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("--run %q: %q, want %q", tt.run, got, tt.want)
		}
	}
}

func TestList(t *testing.T) {
	src := Source(source)
	for run, want := range map[string]string{
		"":     "a\n  a/x=1\n  a/x=2\n  a/op=Get+Put/x=3\nb\n  b/x=1\nslow (runs only if --run contains \"slow\")\n  slow/x=1\n  slow/y=1\n",
		"y=1":  "slow (runs only if --run contains \"slow\")\n  slow/y=1\n",
		"^b/x": "b\n  b/x=1\n",
	} {
		var b strings.Builder
		if err := src.printList(&b, run); err != nil || b.String() != want {
			t.Errorf("--list --run %q: %v\n%s", run, err, b.String())
		}
	}
	var b strings.Builder
	if err := src.printList(&b, "^none"); err == nil || b.Len() > 0 {
		t.Errorf("--list without a match: %q, %v", b.String(), err)
	}
}

// A run says how many rounds it has, and why they are fewer than were asked for.
func TestMade(t *testing.T) {
	row := func(times ...float64) contest.Row {
		return contest.Row{Contestants: []contest.Contestant{{Samples: map[string][]float64{contest.Time: times}}}}
	}
	groups := []contest.Group{{Rows: []contest.Row{row(1), row(1, 2, 3), row(1, 2)}}}
	for _, tt := range []struct {
		layouts, rounds int
		want            string
	}{
		{0, 3, "3 rounds"},
		{0, 9, "3 of 9 rounds, because time ran out"},
		{3, 9, "medians of 3 layouts of the program"},
	} {
		if got := (&flags{layouts: tt.layouts}).made(groups, tt.rounds); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

// Rows that need few samples take as many as were asked for, or one in a quick run, which
// has only octet and its peer in rows with a peer.
func TestAdjust(t *testing.T) {
	for _, tt := range []struct {
		f           flags
		rounds      int // of the row that needs three
		contestants int
		most        int
	}{
		{flags{rounds: 10}, 3, 3, 10},
		{flags{rounds: 10, quick: true}, 1, 2, 10},
		{flags{rounds: 7, asked: true}, 7, 3, 7},
		{flags{rounds: 7, asked: true, quick: true}, 7, 2, 7},
	} {
		three := &contest.Process{Rounds: 3}
		groups := []contest.Group{{Rows: []contest.Row{
			{Name: "x=1", Process: three, Peer: "peer", Contestants: []contest.Contestant{{Name: "octet", Ours: true}, {Name: "peer"}, {Name: "other"}}},
			{Name: "x=2", Process: new(contest.Process), Contestants: []contest.Contestant{{Name: "octet", Ours: true}, {Name: "other"}}},
		}}}
		most := tt.f.adjust(groups)
		if rows := groups[0].Rows; three.Rounds != tt.rounds || len(rows[0].Contestants) != tt.contestants || len(rows[1].Contestants) != 2 || most != tt.most {
			t.Errorf("%+v: %d rounds of %d and %d contestants, at most %d rounds", tt.f, three.Rounds, len(rows[0].Contestants), len(rows[1].Contestants), most)
		}
	}
	only := []contest.Group{{Rows: []contest.Row{{Process: &contest.Process{Rounds: 3}}}}}
	if most := (&flags{rounds: 10}).adjust(only); most != 3 {
		t.Errorf("a row of three rounds alone takes %d", most)
	}
}
