package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

func TestCommandLine(t *testing.T) {
	var got string
	cmd := Command(nil)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		got = commandLine(cmd)
		return nil
	}
	cmd.SetArgs([]string{"--quick", "-o", "/home/somebody/out.json", "-o", "out.md",
		"--run", "^pool/.*'x", "--rounds", "7"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	want := `bench --quick --run '^pool/.*'\''x' --rounds 7 --output out.json --output out.md`
	if len(got) != len(want) || !sameWords(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// sameWords reports whether a and b have the same words in any order.
func sameWords(a, b string) bool {
	return slices.Equal(slices.Sorted(strings.FieldsSeq(a)), slices.Sorted(strings.FieldsSeq(b)))
}

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
		{"^c", "groups are a, b, slow (by name only)"},

		{"slow", "slow/x=1 slow/y=1"},
		{"^slow/x", "slow/x=1"},
		{"^(b|slow)/", "b/x=1 slow/x=1 slow/y=1"},
		{".", "a/x=1 a/x=2 a/op=Get+Put/x=3 b/x=1"},
		{"y=1", "only rows of slow, which run only if --run contains the group's name"},
	} {
		var groups []contest.Group
		f, err := newFilter(tt.run)
		if err == nil {
			groups, err = src.choose(f)
		}
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
		f, err := newFilter(run)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := src.printList(&b, f); err != nil || b.String() != want {
			t.Errorf("--list --run %q: %v\n%s", run, err, b.String())
		}
	}
	f, _ := newFilter("^none")
	var b strings.Builder
	if err := src.printList(&b, f); err == nil || b.Len() > 0 {
		t.Errorf("--list without a match: %q, %v", b.String(), err)
	}
}

func TestEnvironment(t *testing.T) {
	env := environment("octet bench")
	if env.CPU == "" || env.Cores < 1 || env.GOMAXPROCS < 1 || !strings.Contains(env.Go, "go1.") || env.Command != "octet bench" {
		t.Errorf("%+v", env)
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
