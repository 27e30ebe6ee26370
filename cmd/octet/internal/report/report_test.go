package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/perf/benchfmt"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// run returns a run that contains everything that reports can show: patterns in which octet
// keeps its promise or does not, a group of pools in which it is faster, unclear and
// slower, with a row that does not count, and a group whose only row is of processor time. The samples of a
// contestant are spread around its time by up to a tenth.
func run() *Run {
	r := &Run{CPU: "a CPU", About: []string{
		"a CPU, 2 cores, GOMAXPROCS 2, linux/amd64",
		"go1.26.0, octet v0.1.0, 2026-11-01T12:00:00Z",
		"octet bench: 10 rounds",
	}}
	pool := contest.Group{Name: "pool", About: "Get <b> & Put."}
	for _, mode := range []string{"serial", "parallel"} {
		for _, size := range []int{64, 1024} {
			pool.Rows = append(pool.Rows, contest.Row{
				Name: fmt.Sprintf("op=New/mode=%s/size=%d", mode, size),
				Contestants: []contest.Contestant{
					contestant("octet", 10, 0, 0),
					contestant("sync.Pool", 12, 0, 0),
					contestant("grpc/mem", 10000, 0, 0),
					contestant("make", 250, float64(size), 1),
				},
			})
		}
	}
	uneven := contestant("sync.Pool", 20, 0, 0)
	for i := range uneven.Samples[contest.Time] {
		uneven.Samples[contest.Time][i] *= 1 + float64(i%2)/2
	}
	pool.Rows = append(pool.Rows,
		contest.Row{
			Name:        "op=Statistics/mode=serial",
			Aside:       "Octet competes with itself.",
			Contestants: []contest.Contestant{contestant("on", 12, 0, 0), contestant("off", 10, 0, 0)},
		},
		contest.Row{
			Name:        "mode=yield",
			Contestants: []contest.Contestant{contestant("octet", 50, 0, 0), contestant("sync.Pool", 25, 0, 0)},
		},
		contest.Row{
			Name:        "mode=uneven",
			Contestants: []contest.Contestant{contestant("octet", 23, 0, 0), uneven},
		},
	)
	var use contest.Group
	use.Name, use.About = "patterns", "Patterns of use."
	needs := func(name string, mib, seconds float64) contest.Contestant {
		c := contestant(name, 1, 0, 0)
		for range 10 {
			c.Samples[contest.RSS] = append(c.Samples[contest.RSS], mib*(1<<20))
			c.Samples[contest.CPU] = append(c.Samples[contest.CPU], seconds*1e9/float64(c.N))
		}
		return c
	}
	for _, p := range []struct {
		name         string
		mib, seconds float64
	}{{"use=kept", 12, 0.5}, {"use=large", 40, 0.5}, {"use=slow", 12, 0.75}, {"use=both", 40, 0.75}} {
		use.Rows = append(use.Rows, contest.Row{
			Name: p.name, Process: &contest.Process{Promise: true},
			Contestants: []contest.Contestant{needs("octet", p.mib, p.seconds), needs("one sync.Pool", 10, 0.5)},
		})
	}
	ours, usual := contestant("octet", 2.5e6, 1000, 7), contestant("usual way", 5e6, 50e6, 2000)
	ours.Samples[contest.CPU], usual.Samples[contest.CPU] = ours.Samples[contest.Time], usual.Samples[contest.Time]
	r.Groups = []contest.Group{use, pool, {Name: "real", About: "Whole programs.", Rows: []contest.Row{{Name: "op=archive", Process: new(contest.Process), Contestants: []contest.Contestant{ours, usual}}}}}
	return r
}

func contestant(name string, ns, b, allocs float64) contest.Contestant {
	c := contest.Contestant{Name: name, N: 1000, Samples: make(map[string][]float64)}
	for i := range 10 {
		c.Samples[contest.Time] = append(c.Samples[contest.Time], ns*(1+float64(i%3)/20))
		c.Samples[contest.Bytes] = append(c.Samples[contest.Bytes], b+0.25)
		c.Samples[contest.Allocs] = append(c.Samples[contest.Allocs], allocs+0.001)
	}
	return c
}

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file below testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s (go test -update rewrites it): got\n%s", path, got)
	}
}

// written returns the text of a run.
func written(t *testing.T, r *Run, width int, colors bool) string {
	t.Helper()
	text.DisableColors()
	if colors {
		text.EnableColors()
	}
	var b strings.Builder
	if err := Write(&b, r, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTerminal(t *testing.T) {
	got := written(t, run(), 0, false)
	golden(t, "terminal.txt", got)
	if strings.Contains(got, "\x1b") {
		t.Error("colours where there are none")
	}
	for line := range strings.Lines(got) {
		if strings.HasSuffix(line, " \n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

func TestTerminalColor(t *testing.T) {
	got := written(t, run(), 0, true)
	for what, want := range map[string]string{
		"octet's win is not green":     "\x1b[32m10.50ns ±5% 0.83× ±0%\x1b[0m",
		"octet's defeat is not red":    "\x1b[31m52.50ns ±5% 2.00×\x1b[0m",
		"a level row has a colour":     " 24.15ns ±5% ≈0.96× ±20%  26.00ns",
		"the legend names no colour":   "octet is \x1b[31mslower\x1b[0m",
		"the verdict's wins are plain": "\x1b[32m4\x1b[0m      0       \x1b[31m1\x1b[0m        1",
		"a broken promise is not red":  "\x1b[31mbroken: time\x1b[0m",
		"a kept one is not green":      "\x1b[32mkept\x1b[0m",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s in\n%q", what, got)
		}
	}
}

// On a narrow terminal all lines fit, and no contestant is missing.
func TestTerminalWidth(t *testing.T) {
	got := written(t, run(), 60, false)
	for line := range strings.Lines(got) {
		if n := len([]rune(line)); n > 61 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	for _, name := range []string{"sync.Pool", "grpc/mem", "make", "mode=yield"} {
		if !strings.Contains(got, name) {
			t.Errorf("%s is not shown", name)
		}
	}
}

// If no row counts, the verdict says so, without an empty table.
func TestNoVerdict(t *testing.T) {
	r := run()
	r.Groups = r.Groups[1:2]
	r.Groups[0].Rows = r.Groups[0].Rows[4:5]
	got := written(t, r, 0, false)
	if !strings.Contains(got, "No row was measured in which octet has a rival.") || strings.Contains(got, "typical") {
		t.Errorf("the verdict on a row that does not count:\n%s", got)
	}
}

// On a loaded machine there is no verdict, and the reason is given.
func TestLoadedMachine(t *testing.T) {
	r := run()
	r.Others = 0.456
	got := written(t, r, 0, false)
	verdict, _, _ := strings.Cut(got, "\npatterns\n")
	if !strings.HasPrefix(verdict, "No verdict: this machine was loaded. Other programs used 46 % of its processors") || strings.Contains(verdict, "faster") || strings.Contains(verdict, "promise") {
		t.Errorf("the verdict on a loaded machine:\n%s", verdict)
	}
}

// A quick run says how many rows it cannot tell anything of, and does not show them.
func TestQuick(t *testing.T) {
	r := run()
	if got := written(t, r, 0, false); !strings.Contains(got, "mode=uneven") || strings.Contains(got, "too unclear") {
		t.Errorf("a run that is not quick:\n%s", got)
	}
	r.Quick = true
	if got := written(t, r, 0, false); strings.Contains(got, "mode=uneven") || !strings.Contains(got, "\n1 row: too unclear in a quick run to be shown.\n") {
		t.Errorf("a quick run:\n%s", got)
	}
}

// The text is accepted by benchstat's own reader without an error.
func TestBenchstat(t *testing.T) {
	results := 0
	names := make(map[string]int)
	for r := benchfmt.NewReader(bytes.NewReader(benchstat(run())), "bench.txt"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			results++
			names[rec.Name.String()]++
			if rec.GetConfig("cpu") != "a CPU" || rec.GetConfig("goos") != runtime.GOOS {
				t.Errorf("configuration %v", rec.Config)
			}
			if v, ok := rec.Value("allocs/op"); !ok || v != float64(int(v)) {
				t.Errorf("%s: %v allocs/op", rec.Name, v)
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if results != (4*2+4*4+2+2+2+2)*10 {
		t.Errorf("%d results", results)
	}
	for _, name := range []string{"Pool/op=New/mode=serial/size=64/of=grpc_mem", "Real/op=archive/of=usual_way"} {
		if names[fmt.Sprint(name, "-", runtime.GOMAXPROCS(0))] != 10 {
			t.Errorf("%s has %d results", name, names[name])
		}
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.txt")
	if err := Check(path); err != nil {
		t.Error(err)
	}
	if err := Save(path, run()); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 100 {
		t.Errorf("%s: %v, %v", path, info, err)
	}
	for _, path := range []string{"out", "out.xml", "out.txt.gz", "txt"} {
		if err := Check(filepath.Join(dir, path)); err == nil || !strings.Contains(err.Error(), "must end in .txt") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Rows that count come first, wherever they are in the group; the others
// follow, reason by reason.
func TestReasons(t *testing.T) {
	g := contest.Group{Name: "g", About: "Rows."}
	for _, r := range []struct{ name, aside string }{{"row=a", "Because x."}, {"row=b", ""}, {"row=c", "Because y."}, {"row=d", "Because x."}, {"row=e", ""}} {
		g.Rows = append(g.Rows, contest.Row{Name: r.name, Aside: r.aside, Contestants: []contest.Contestant{contestant("octet", 1, 0, 0), contestant("rival", 1, 0, 0)}})
	}
	order := func() string {
		return strings.Join(regexp.MustCompile(`row=.|x\.|y\.`).FindAllString(written(t, &Run{Groups: []contest.Group{g}}, 0, false), -1), " ")
	}
	if got := order(); !strings.HasSuffix(got, " row=b row=e x. row=a row=d y. row=c") {
		t.Errorf("the rows are %s", got)
	}
	g.Rows = g.Rows[:1]
	if got := order(); got != "x. row=a" {
		t.Errorf("the row is %s", got)
	}
}
