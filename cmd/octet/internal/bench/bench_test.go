package bench

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

func TestCommandLine(t *testing.T) {
	var got string
	cmd := Command(Source{})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		got = commandLine(cmd)
		return nil
	}
	cmd.SetArgs([]string{"--quick", "-o", "/home/somebody/out.json", "-o", "out.md", "--dir=/home/somebody/src",
		"--run", "^pool/.*'x", "--fail-if", "ns/op>+10%", "--rounds", "7", "--baseline", "old.json"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	want := `bench --quick --run '^pool/.*'\''x' --rounds 7 --dir src --output out.json --output out.md --baseline old.json --fail-if 'ns/op>+10%'`
	if len(got) != len(want) || !sameWords(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// sameWords reports whether a and b have the same words in any order.
func sameWords(a, b string) bool {
	count := make(map[string]int)
	for w := range strings.FieldsSeq(a) {
		count[w]++
	}
	for w := range strings.FieldsSeq(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// source has two groups that always run, one that is opt-in, and real, which
// counts in listed how often its directory was read.
func source(t *testing.T, listed *int) Source {
	rows := func(names ...string) []contest.Row {
		var rows []contest.Row
		for _, name := range names {
			rows = append(rows, contest.Row{Name: name})
		}
		return rows
	}
	return Source{
		Groups: func() []contest.Group {
			return []contest.Group{
				{Name: "a", Rows: rows("x=1", "x=2", "op=Get+Put/x=3")},
				{Name: "b", Rows: rows("x=1")},
				{Name: "slow", OptIn: true, Rows: rows("x=1", "y=1")},
			}
		},
		Real: func(dir string, limit int64) (contest.Group, error) {
			*listed++
			if dir == "none" {
				return contest.Group{}, errors.New("none is not there")
			}
			if limit != 99 {
				t.Errorf("limit %d", limit)
			}
			return contest.Group{Name: "real", Rows: rows("op=archive", "part=open")}, nil
		},
		RealName: "real",
		RealRows: []string{"op=archive", "part=open"},
	}
}

func TestChoose(t *testing.T) {
	var listed int
	src := source(t, &listed)
	for _, tt := range []struct {
		run, dir, want string
		listed         int
	}{
		{"", "d", "a/x=1 a/x=2 a/op=Get+Put/x=3 b/x=1 real/op=archive real/part=open", 1},
		{"^a/", "d", "a/x=1 a/x=2 a/op=Get+Put/x=3", 0},
		{"x=1", "none", "a/x=1 b/x=1", 0},
		{"op=", "d", "a/op=Get+Put/x=3 real/op=archive", 1},
		{"^a/x=2$|^real/part=open$", "d", "a/x=2 real/part=open", 1},
		{"a/op=Get+Put/x=3", "d", "a/op=Get+Put/x=3", 0}, // as listed, although + has a meaning in a regexp
		{"(", "d", "--run: error parsing regexp", 0},
		{"^c", "d", "groups are a, b, slow (by name only), real", 0},
		{"^real", "none", "none is not there", 1},

		{"slow", "d", "slow/x=1 slow/y=1", 0},
		{"^slow/x", "d", "slow/x=1", 0},
		{"^(b|slow)/", "d", "b/x=1 slow/x=1 slow/y=1", 0},
		{".", "d", "a/x=1 a/x=2 a/op=Get+Put/x=3 b/x=1 real/op=archive real/part=open", 1},
		{"y=1", "d", "only rows of slow, which run only if --run contains the group's name", 0},
	} {
		listed = 0
		var groups []contest.Group
		f, err := newFilter(tt.run)
		if err == nil {
			groups, err = src.choose(f, tt.dir, 99)
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
		if listed != tt.listed {
			t.Errorf("--run %q: listed files %d times", tt.run, listed)
		}
	}
}

func TestList(t *testing.T) {
	var listed int
	src := source(t, &listed)
	for run, want := range map[string]string{
		"":     "a\n  a/x=1\n  a/x=2\n  a/op=Get+Put/x=3\nb\n  b/x=1\nslow (runs only if --run contains \"slow\")\n  slow/x=1\n  slow/y=1\nreal\n  real/op=archive\n  real/part=open\n",
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
	if listed > 0 {
		t.Error("the directory was read")
	}
}

// Every completion is a value of --run that selects something.
func TestComplete(t *testing.T) {
	var listed int
	src := source(t, &listed)
	for typed, want := range map[string]string{
		"":         "a b slow real",
		"a":        "a a/x=1 a/x=2 a/op=Get+Put/x=3",
		"a/x=":     "a/x=1 a/x=2",
		"^a/op":    `^a/op=Get\+Put/x=3`,
		"sl":       "slow slow/x=1 slow/y=1",
		"^re":      "^real ^real/op=archive ^real/part=open",
		"x=1":      "",
		"^(a|b)/x": "",
	} {
		values := src.complete(typed)
		if got := strings.Join(values, " "); got != want {
			t.Errorf("%q is completed to %q, want %q", typed, got, want)
		}
		for _, v := range values {
			f, err := newFilter(v)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := src.choose(f, "d", 99); err != nil {
				t.Errorf("--run %s: %v", v, err)
			}
		}
	}
}

// fewest returns just enough rounds: with one fewer no change could be
// significant.
func TestFewest(t *testing.T) {
	f := &flags{failIf: []string{"ns/op>+10%"}, baseline: "old.json", rounds: 10}
	limits, err := f.limits()
	if err != nil {
		t.Fatal(err)
	}
	old := &sample.Run{Groups: []sample.Group{{Rows: []sample.Row{{Contestants: []sample.Contestant{
		{Samples: map[string][]float64{sample.Time: make([]float64, 10)}},
	}}}}}}
	groups := func(n int) []contest.Group {
		r := contest.Row{Contestants: []contest.Contestant{{Ours: true}, {}}}
		return []contest.Group{{Rows: slices.Repeat([]contest.Row{r}, n)}}
	}
	// The least P is 2/66 for 2 and 10 samples, 2/8,008 for 6 and 10, 2/43,758 for 8
	// and 10.
	for n, want := range map[int]int{1: 2, 200: 6, 900: 8, 1e6: 0} {
		got, err := f.fewest(limits, old, groups(n))
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%d comparisons need %d rounds, %v; want %d", n, got, err, want)
		}
	}
	if got, err := f.fewest(nil, nil, groups(5)); got != 0 || err != nil {
		t.Errorf("without limits %d rounds, %v", got, err)
	}
}

func TestEnvironment(t *testing.T) {
	env := environment("octet bench")
	if env.CPU == "" || env.Cores < 1 || env.GOMAXPROCS < 1 || !strings.Contains(env.Go, "go1.") || env.Command != "octet bench" {
		t.Errorf("%+v", env)
	}
}
