package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// run returns a run that contains everything that reports can show: patterns in which octet
// keeps its promise or does not, a group of pools in which it is faster, unclear and
// slower, with a row that does not count, and a group whose only row has a further unit. The samples of a
// contestant are spread around its time by up to a tenth.
func run() *contest.Result {
	r := &contest.Result{
		Env: contest.Env{Time: "2026-11-01T12:00:00Z", CPU: "a CPU", Cores: 2, GOMAXPROCS: 2, GOOS: "linux", GOARCH: "amd64",
			Go: "go1.26.0", Octet: "v0.1.0", Command: "octet bench"},
	}
	pool := contest.Group{Name: "pool", About: "Get <b> & Put."}
	for _, mode := range []string{"serial", "parallel"} {
		for _, size := range []int{64, 1024} {
			pool.Rows = append(pool.Rows, contest.Row{
				Name: fmt.Sprintf("op=New/mode=%s/size=%d", mode, size),
				Contestants: []contest.Contestant{
					contestant("octet", true, 10, 0, 0),
					contestant("sync.Pool", false, 12, 0, 0),
					contestant("grpc/mem", false, 10000, 0, 0),
					contestant("make", false, 250, float64(size), 1),
				},
			})
		}
	}
	uneven := contestant("sync.Pool", false, 20, 0, 0)
	for i := range uneven.Samples[contest.Time] {
		uneven.Samples[contest.Time][i] *= 1 + float64(i%2)/2
	}
	pool.Rows = append(pool.Rows,
		contest.Row{
			Name:        "op=Statistics/mode=serial",
			Aside:       "Octet competes with itself.",
			Contestants: []contest.Contestant{contestant("on", true, 12, 0, 0), contestant("off", true, 10, 0, 0)},
		},
		contest.Row{
			Name:        "mode=yield",
			Contestants: []contest.Contestant{contestant("octet", true, 50, 0, 0), contestant("sync.Pool", false, 25, 0, 0)},
		},
		contest.Row{
			Name:        "mode=uneven",
			Contestants: []contest.Contestant{contestant("octet", true, 23, 0, 0), uneven},
		},
	)
	var use contest.Group
	use.Name, use.About = "patterns", "Patterns of use."
	needs := func(name string, mib, seconds float64) contest.Contestant {
		c := contestant(name, name == "octet", 1, 0, 0)
		for range 3 {
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
			Name: p.name, Unit: contest.CPU, Peer: "one sync.Pool",
			Contestants: []contest.Contestant{needs("octet", p.mib, p.seconds), needs("one sync.Pool", 10, 0.5), needs("mcache", 1, 0.25)},
		})
	}
	real := contestant("usual way", false, 5e6, 50e6, 2000)
	ours := contestant("octet", true, 2.5e6, 1000, 7)
	for range 10 {
		real.Samples[contest.RSS] = append(real.Samples[contest.RSS], 9<<20)
		ours.Samples[contest.RSS] = append(ours.Samples[contest.RSS], 1<<20)
	}
	r.Groups = []contest.Group{use, pool, {Name: "real", Rows: []contest.Row{{Name: "op=archive", Contestants: []contest.Contestant{ours, real}}}}}
	return r
}

func contestant(name string, ours bool, ns, b, allocs float64) contest.Contestant {
	c := contest.Contestant{Name: name, Ours: ours, N: 1000, Samples: make(map[string][]float64)}
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

func terminal(t *testing.T, look Terminal, d *Doc) string {
	t.Helper()
	var b strings.Builder
	if err := look.Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTerminal(t *testing.T) {
	got := terminal(t, Terminal{}, New(run()))
	golden(t, "terminal.txt", got)
	if strings.Contains(got, "\x1b") {
		t.Error("colours where there are none")
	}
	for line := range strings.Lines(got) {
		if strings.HasSuffix(line, " \n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
	late := run()
	late.Rounds = 20
	if lines := strings.Join(envLines(late), "\n"); !strings.Contains(lines, "10 of 20 rounds, because time ran out") {
		t.Errorf("lack of time is not mentioned in %q", lines)
	}
}

func TestTerminalColor(t *testing.T) {
	got := terminal(t, Terminal{Color: true}, New(run()))
	for what, want := range map[string]string{
		"octet's win is not green":     "\x1b[32m10.5 ns ±5% 0.83× ±0%\x1b[0m",
		"octet's defeat is not red":    "\x1b[31m52.5 ns ±5% 2.00×\x1b[0m",
		"a level row has a colour":     " 24.1 ns ±5% ≈0.96× ±20%   26 ns",
		"the legend names no colour":   "slower (red)",
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
	got := terminal(t, Terminal{Width: 60}, New(run()))
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

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestFullDisk(t *testing.T) {
	d := New(run())
	if err := (Terminal{}).Write(fullDisk{}, d); !errors.Is(err, errFull) {
		t.Errorf("terminal: %v", err)
	}
	for _, f := range Formats {
		if err := f.Write(fullDisk{}, d); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", f.Ending, err)
		}
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := writeMarkdown(&b, New(run())); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.md", b.String())
}

// All reports begin with the verdict, except those for programs that compute it
// themselves.
func TestVerdictIsFirst(t *testing.T) {
	d := New(run())
	for _, f := range Formats {
		first := map[string]string{
			".json": `"verdict": [`,
			".md":   "Octet keeps its promise in 1 of 4 patterns of use",
		}[f.Ending]
		if first == "" {
			continue
		}
		var b bytes.Buffer
		if err := f.Write(&b, d); err != nil {
			t.Fatal(err)
		}
		body := b.String()
		before, _, ok := strings.Cut(body, first)
		if !ok || strings.Contains(before, "pool") || strings.Contains(before, "samples") {
			t.Errorf("%s does not begin with the verdict: %.1000s", f.Ending, body)
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := writeJSON(&b, New(run())); err != nil {
		t.Fatal(err)
	}
	var got struct{ Verdict []summary.Verdict }
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Verdict) != 3 {
		t.Fatalf("verdicts: %+v", got.Verdict)
	}
	if use := got.Verdict[0]; use.Kept != 1 || len(use.Broken) != 3 || use.Broken[0].Row != "use=large" || use.Broken[0].MemoryRatio != 4 {
		t.Errorf("patterns: %+v", use)
	}
	pool := got.Verdict[1]
	if pool.Typical < 0.83 || pool.Typical > 0.84 {
		t.Errorf("the typical ratio is %v", pool.Typical)
	}
	pool.Typical = 0
	if want := (summary.Verdict{Group: "pool", Faster: 4, Slower: 1, Unclear: 1, Aside: 1,
		Worst: pool.Worst, SlowerRows: []summary.Comparison{pool.Worst}}); pool.Worst.Row != "mode=yield" || !reflect.DeepEqual(pool, want) {
		t.Errorf("%+v, want %+v", pool, want)
	}
}

// If no row counts, the verdict says so, without an empty table.
func TestNoVerdict(t *testing.T) {
	r := run()
	r.Groups = r.Groups[1:2]
	r.Groups[0].Rows = r.Groups[0].Rows[4:5]
	got := terminal(t, Terminal{}, New(r))
	if !strings.Contains(got, "No row was measured in which octet has a rival.") || strings.Contains(got, "typical") {
		t.Errorf("the verdict on a row that does not count:\n%s", got)
	}
}

// On a loaded machine there is no verdict, and the reason is given.
func TestLoadedMachine(t *testing.T) {
	r := run()
	r.Others = 0.456
	d := New(r)
	got := terminal(t, Terminal{}, d)
	verdict, _, _ := strings.Cut(got, "\npatterns\n")
	if !strings.HasPrefix(verdict, "No verdict: this machine was loaded. Other programs used 46 % of its processors") || strings.Contains(verdict, "faster") || strings.Contains(verdict, "promise") {
		t.Errorf("the verdict on a loaded machine:\n%s", verdict)
	}
	if len(d.Verdicts) > 0 {
		t.Errorf("%+v", d.Verdicts)
	}
}

// A quick run says how many rows it cannot tell anything of, and does not show them; its
// report in a file does.
func TestQuick(t *testing.T) {
	r := run()
	if got := terminal(t, Terminal{}, New(r)); !strings.Contains(got, "mode=uneven") || strings.Contains(got, "too unclear") {
		t.Errorf("a run that is not quick:\n%s", got)
	}
	r.Quick = true
	if got := terminal(t, Terminal{}, New(r)); strings.Contains(got, "mode=uneven") || !strings.Contains(got, "\n1 row: too unclear in a quick run to be shown.\n") {
		t.Errorf("a quick run:\n%s", got)
	}
	var b strings.Builder
	if err := writeMarkdown(&b, New(r)); err != nil || !strings.Contains(b.String(), "mode=uneven") {
		t.Errorf("%v, %s", err, b.String())
	}
}

// The verdict is in the first ten lines, and octet's patterns follow it.
func TestBegins(t *testing.T) {
	got := terminal(t, Terminal{Width: 100}, New(run()))
	lines := strings.Split(got, "\n")
	first := strings.Join(lines[:10], " ")
	if !strings.HasPrefix(got, "Octet keeps its promise in 1 of 4 patterns of use. A slice of 1 KiB") {
		t.Errorf("the first line is %q", lines[0])
	}
	for _, want := range []string{"keeps its promise in 1 of 4", "A slice of 1 KiB takes 10.5 ns from octet, and 262 ns to allocate. Octet is slower by 26.2 ns on mode=yield (sync.Pool).", "faster than the best rival on 5 of 7 rows, level on 0, slower on 1. On 1 that is unclear", "a CPU"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in the first lines of\n%s", want, got)
		}
	}
	if !strings.Contains(got, "use=both") || strings.Index(got, "use=both") > strings.Index(got, "op=New") {
		t.Errorf("the patterns do not come first:\n%s", got)
	}
}

// Only rivals have a star.
func TestNoStarOnOctet(t *testing.T) {
	d := New(run())
	stars := 0
	for i := range d.Groups {
		for _, r := range d.Groups[i].Rows {
			for j := range r.Contestants {
				c := &r.Contestants[j]
				out, _ := unitCell(contest.Time)(&r, c)
				if !strings.HasSuffix(out.Text, bestMark) {
					continue
				}
				stars++
				if c.Ours {
					t.Errorf("%s: %s is the best rival", r.Name, c.Name)
				}
			}
		}
	}
	if stars != 7 { // patterns are compared in another unit
		t.Errorf("%d stars in 7 rows with rivals", stars)
	}
}

// Ratio and star are in the column of the unit that contestants are compared
// in.
func TestComparedUnit(t *testing.T) {
	r := run()
	r.Groups[2].Rows[0].Unit = contest.RSS
	got := terminal(t, Terminal{}, New(r))
	for _, want := range []string{"2.62 ms ±5%  5.25 ms ±5%\n", "1 MiB 0.11×    9 MiB *\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// The text is accepted by benchstat's own reader without an error.
func TestBenchstat(t *testing.T) {
	var b bytes.Buffer
	if err := writeBenchstat(&b, New(run())); err != nil {
		t.Fatal(err)
	}
	results := 0
	names := make(map[string]int)
	for r := benchfmt.NewReader(&b, "bench.txt"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			results++
			names[rec.Name.String()]++
			if rec.GetConfig("cpu") != "a CPU" || rec.GetConfig("goos") != "linux" {
				t.Errorf("configuration %v", rec.Config)
			}
			if v, ok := rec.Value("allocs/op"); !ok || v != float64(int(v)) {
				t.Errorf("%s: %v allocs/op", rec.Name, v)
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if results != (4*3+4*4+2+2+2+2)*10 {
		t.Errorf("%d results", results)
	}
	for _, name := range []string{"Pool/op=New/mode=serial/size=64/of=grpc_mem-2", "Real/op=archive/of=usual_way-2"} {
		if names[name] != 10 {
			t.Errorf("%s has %d results", name, names[name])
		}
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	d := New(run())
	for _, f := range Formats {
		path := filepath.Join(dir, "out"+strings.ToUpper(f.Ending))
		if err := Formats.Check([]string{path}); err != nil {
			t.Error(err)
		}
		if err := Formats.Save([]string{path}, d); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() < 100 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	for _, path := range []string{"out", "out.xml", "out.json.gz", "json"} {
		if err := Formats.Check([]string{filepath.Join(dir, path)}); err == nil || !strings.Contains(err.Error(), ".json .md .txt") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		unit string
		want string
	}{
		{0, contest.Time, "0"},
		{0.25, contest.Time, "0.250 ns"},
		{9.904, contest.Time, "9.90 ns"},
		{12.34, contest.Time, "12.3 ns"},
		{1234, contest.Time, "1.23 µs"},
		{123456, contest.Time, "123 µs"},
		{2.5e9, contest.Time, "2.50 s"},
		{24, contest.Bytes, "24 B"},
		{1024, contest.Bytes, "1 KiB"},
		{1100, contest.Bytes, "1.07 KiB"},
		{5 << 20, contest.RSS, "5 MiB"},
		{7, contest.Allocs, "7"},
		{1500, contest.Allocs, "1.50 k"},
		{3.25, "fill", "3.25"},
		{2048, "idle-B", "2 KiB"},
	} {
		if got := figure(tt.v, tt.unit); got != tt.want {
			t.Errorf("figure(%v, %s) is %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
}

func TestTimes(t *testing.T) {
	for ratio, want := range map[float64]string{0: "0×", 0.001: "0.001×", 0.0554: "0.055×", 0.5: "0.50×", 0.999: "1.00×", 9.5: "9.50×", 15.04: "15.0×", 833.3: "833×"} {
		if got := times(ratio); got != want {
			t.Errorf("times(%v) is %q, want %q", ratio, got, want)
		}
	}
}

// Rows that count come first, wherever they are in the group; the others
// follow, reason by reason.
func TestParts(t *testing.T) {
	g := Group{Name: "g"}
	for _, r := range []struct{ name, aside string }{{"a", "x"}, {"b", ""}, {"c", "y"}, {"d", "x"}, {"e", ""}} {
		g.Rows = append(g.Rows, summary.Row{Name: r.name, Aside: r.aside})
	}
	var got []string
	for _, p := range g.Parts() {
		s := p.Aside + ":"
		for _, r := range p.Rows {
			s += r.Name
		}
		got = append(got, s)
	}
	if s := strings.Join(got, " "); s != ":be x:ad y:c" {
		t.Errorf("the parts are %s", s)
	}
	g.Rows = g.Rows[:1]
	if parts := g.Parts(); len(parts) != 1 || parts[0].Aside != "x" {
		t.Errorf("%+v", parts)
	}
}
