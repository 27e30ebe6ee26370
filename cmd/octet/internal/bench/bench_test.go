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

func TestChoose(t *testing.T) {
	listed := 0
	src := Source{
		Groups: func() []contest.Group {
			return []contest.Group{
				{Name: "a", Rows: []contest.Row{{Name: "x=1"}, {Name: "x=2"}}},
				{Name: "b", Rows: []contest.Row{{Name: "x=1"}}},
			}
		},
		Real: func(dir string, limit int64) (contest.Group, error) {
			listed++
			if dir == "none" {
				return contest.Group{}, errors.New("none is not there")
			}
			if limit != 99 {
				t.Errorf("limit %d", limit)
			}
			return contest.Group{Name: "real", Rows: []contest.Row{{Name: "op=archive"}, {Name: "part=open"}}}, nil
		},
		RealName: "real",
		RealRows: []string{"op=archive", "part=open"},
	}
	for _, tt := range []struct {
		pattern, dir, want string
		listed             int
	}{
		{"", "d", "a/x=1 a/x=2 b/x=1 real/op=archive real/part=open", 1},
		{"^a/", "d", "a/x=1 a/x=2", 0},
		{"x=1", "none", "a/x=1 b/x=1", 0},
		{"op=", "d", "real/op=archive", 1},
		{"^a/x=2$|^real/part=open$", "d", "a/x=2 real/part=open", 1},
		{"(", "d", "", 0},
		{"^c", "d", "", 0},
		{"^real", "none", "", 1},
	} {
		listed = 0
		groups, err := src.choose(tt.pattern, tt.dir, 99)
		var got []string
		for _, g := range groups {
			for _, r := range g.Rows {
				got = append(got, g.Name+"/"+r.Name)
			}
		}
		if strings.Join(got, " ") != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("--run %q: %v, %v; want %q", tt.pattern, got, err, tt.want)
		}
		if listed != tt.listed {
			t.Errorf("--run %q: listed files %d times", tt.pattern, listed)
		}
	}
}

// The fewest rounds are just enough: one less could show nothing.
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
