package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/octet-go/octet/cmd/octet/internal/compare"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// run returns a run with a group of pools in two families, and a group of one
// row with further units. All samples of a contestant are spread around its time
// by up to a tenth.
func run() *sample.Run {
	r := &sample.Run{
		Env: sample.Env{Time: "2026-11-01T12:00:00Z", CPU: "a CPU", Cores: 2, GOMAXPROCS: 2, GOOS: "linux", GOARCH: "amd64",
			Go: "go1.26.0", Octet: "v0.1.0", Command: "octet bench"},
	}
	pool := sample.Group{Name: "pool", About: "Get <b> & Put."}
	for _, mode := range []string{"serial", "parallel"} {
		for _, size := range []int{64, 1024} {
			pool.Rows = append(pool.Rows, sample.Row{
				Name: fmt.Sprintf("op=New/mode=%s/size=%d", mode, size),
				Contestants: []sample.Contestant{
					contestant("octet", true, 10, 0, 0),
					contestant("sync.Pool", false, 12, 0, 0),
					contestant("grpc/mem", false, 10000, 0, 0),
					contestant("make", false, 250, float64(size), 1),
				},
			})
		}
	}
	real := contestant("usual way", false, 5e6, 50e6, 2000)
	ours := contestant("octet", true, 2.5e6, 1000, 7)
	for range 10 {
		real.Samples[sample.Peak] = append(real.Samples[sample.Peak], 9<<20)
		ours.Samples[sample.Peak] = append(ours.Samples[sample.Peak], 1<<20)
	}
	r.Groups = []sample.Group{pool, {Name: "real", Rows: []sample.Row{{Name: "op=archive", Bytes: 16e6, Contestants: []sample.Contestant{ours, real}}}}}
	return r
}

func contestant(name string, ours bool, ns, b, allocs float64) sample.Contestant {
	c := sample.Contestant{Name: name, Ours: ours, N: 1000, Samples: make(map[string][]float64)}
	for i := range 10 {
		c.Samples[sample.Time] = append(c.Samples[sample.Time], ns*(1+float64(i%3)/20))
		c.Samples[sample.Bytes] = append(c.Samples[sample.Bytes], b+0.25)
		c.Samples[sample.Allocs] = append(c.Samples[sample.Allocs], allocs+0.001)
	}
	return c
}

// slower is run with octet's times and allocations doubled.
func slower() *sample.Run {
	r := run()
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			for _, c := range row.Contestants {
				if c.Ours {
					for i := range c.Samples[sample.Time] {
						c.Samples[sample.Time][i] *= 2
						c.Samples[sample.Allocs][i]++
					}
				}
			}
		}
	}
	return r
}

func TestTerminal(t *testing.T) {
	var b strings.Builder
	if err := (Terminal{}).Write(&b, New(run(), nil)); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{
		"a CPU, 2 cores, GOMAXPROCS 2, linux/amd64\ngo1.26.0, octet v0.1.0, 2026-11-01T12:00:00Z\noctet bench: 10 rounds\n",
		"\npool op=New/mode=serial: time\n size ",
		"\n 64    10.5 ns ±5% 0.83×  12.6 ns ±5% *  10.5 µs ±5%",
		"\npool op=New/mode=parallel: allocated\n size        make\n",
		"\n 1024  1 KiB in 1\n",
		"octet       2.62 ms ±5% 0.50×  6.10 GB/s      1000 B in 7        1 MiB\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	late := run()
	late.Rounds = 20
	if lines := strings.Join(envLines(late), "\n"); !strings.Contains(lines, "10 rounds in place of 20") {
		t.Errorf("lack of time is not mentioned in %q", lines)
	}
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
	var b strings.Builder
	if err := (Terminal{Color: true}).Write(&b, New(run(), nil)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\x1b[32m10.5 ns ±5% 0.83×\x1b[0m") {
		t.Errorf("octet's win is not green in\n%q", b.String())
	}
}

// A narrow terminal gets lines that fit, and all contestants.
func TestTerminalWidth(t *testing.T) {
	var b strings.Builder
	if err := (Terminal{Width: 60}).Write(&b, New(run(), nil)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(line)); n > 61 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if n := strings.Count(b.String(), "grpc/mem"); n != 2 {
		t.Errorf("grpc/mem is shown %d times", n)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestFullDisk(t *testing.T) {
	d := New(run(), nil)
	if err := (Terminal{}).Write(fullDisk{}, d); !errors.Is(err, errFull) {
		t.Errorf("terminal: %v", err)
	}
	for _, f := range formats {
		if err := f.write(fullDisk{}, d); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", f.ending, err)
		}
	}
}

func TestChanges(t *testing.T) {
	changed := compare.Runs(run(), slower())
	var b strings.Builder
	if err := (Terminal{}).Write(&b, New(slower(), changed)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []*regexp.Regexp{
		regexp.MustCompile(`pool/op=New/mode=serial/size=64 +octet +10.5 ns +21.0 ns +\+100.0% p=0.0\d+ +~ +new p=0.0`),
		regexp.MustCompile(`real/op=archive +octet +2.62 ms +5.25 ms +\+100.0% p=0.0\d+ +~ +\+14.3% p=0.0`),
		regexp.MustCompile(`The rivals' time changed by \+0.0% in the median, 0 of 13 significantly`),
	} {
		if !want.MatchString(b.String()) {
			t.Errorf("%v is not in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "another") {
		t.Errorf("the same environment differs:\n%s", b.String())
	}
	other := run()
	other.Env.CPU = "an older CPU"
	notes := strings.Join(changeNotes(compare.Runs(other, run()), run().Env), "\n")
	if !strings.Contains(notes, "another CPU: an older CPU, now a CPU") {
		t.Errorf("another CPU is not mentioned in %q", notes)
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := writeMarkdown(&b, New(run(), compare.Runs(run(), run()))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# octet bench\n",
		"\n    a CPU, 2 cores, GOMAXPROCS 2, linux/amd64\n",
		"\nGet \\<b> & Put.\n",
		"\n### pool op=New/mode=serial: time\n\n| size | octet | sync.Pool | grpc/mem | make |\n|:--- | ---:| ---:| ---:| ---:|\n",
		"\n| 64 | 10.5 ns ±5% 0.83× | 12.6 ns ±5% \\* | 10.5 µs ±5% | 262 ns ±5% |\n",
		"\n## against the baseline\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := writeCSV(&b, New(run(), nil)); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll() // fails where lines differ in length
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + 4*4*3 + 2*4; len(lines) != want {
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	found := false
	for _, l := range lines {
		if l[0] == "pool" && l[1] == "op=New/mode=serial/size=64" && l[2] == "octet" && l[4] == "ns/op" {
			found = true
			if got := strings.Join(l[3:], " "); !strings.HasPrefix(got, "true ns/op 10.5 10 11 10 0 0.83333") || l[13] != "sync.Pool" {
				t.Errorf("octet's line is %q", got)
			}
		}
	}
	if !found {
		t.Error("octet has no line")
	}
}

// The text is what benchstat's own reader takes, without a complaint.
func TestBenchstat(t *testing.T) {
	var b bytes.Buffer
	if err := writeBenchstat(&b, New(run(), nil)); err != nil {
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
			if strings.HasPrefix(rec.Name.String(), "Real") {
				if v, ok := rec.Value("B/s"); !ok || v < 1e9 {
					t.Errorf("%s: %v B/s", rec.Name, v)
				}
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if results != (4*4+2)*10 {
		t.Errorf("%d results", results)
	}
	for _, name := range []string{"Pool/op=New/mode=serial/size=64/of=grpc_mem-2", "Real/op=archive/of=usual_way-2"} {
		if names[name] != 10 {
			t.Errorf("%s has %d results", name, names[name])
		}
	}
}

// The page is one file that loads nothing, and whatever colour it names it
// defines for light and for dark.
func TestHTML(t *testing.T) {
	var b strings.Builder
	if err := writeHTML(&b, New(slower(), compare.Runs(run(), slower()))); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, banned := range []string{"<script", "<link", "<img", "@import", "url(", "href=\"http", "src=", "#FACE", "Get <b>"} {
		if strings.Contains(page, banned) {
			t.Errorf("the page has %q", banned)
		}
	}
	light, dark, ok := strings.Cut(page, "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("nothing for dark")
	}
	used := regexp.MustCompile(`var\((--[a-z0-9]+)\)`).FindAllStringSubmatch(page, -1)
	if len(used) < 50 {
		t.Errorf("only %d colours are variables", len(used))
	}
	for _, m := range used {
		if !strings.Contains(light, m[1]+":") || !strings.Contains(dark, m[1]+":") {
			t.Errorf("%s is not defined for both", m[1])
		}
	}
	charts := regexp.MustCompile(`(?s)<svg .*?</svg>`).FindAllString(page, -1)
	if len(charts) != 2 {
		t.Fatalf("%d charts for two groups", len(charts))
	}
	for _, name := range []string{"sync.Pool", "grpc/mem", "op=New/mode=serial/size=64"} {
		if !strings.Contains(charts[0], ">"+name+"<") {
			t.Errorf("the chart does not name %s", name)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(charts[0])); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(charts[0], `fill:#`) || strings.Contains(charts[0], `stroke:#`) {
		t.Error("a colour is fixed")
	}
}

func TestChartWithoutRivals(t *testing.T) {
	d := New(&sample.Run{Groups: []sample.Group{{Name: "g", Rows: []sample.Row{
		{Name: "r", Contestants: []sample.Contestant{contestant("octet", true, 10, 0, 0)}},
	}}}}, nil)
	if got, err := chart(&d.Groups[0]); got != "" || err != nil {
		t.Errorf("a chart of nothing: %q, %v", got, err)
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	d := New(run(), nil)
	for _, f := range formats {
		path := filepath.Join(dir, "out"+strings.ToUpper(f.ending))
		if err := Check(path); err != nil {
			t.Error(err)
		}
		if err := Save(path, d); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() < 100 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "out.JSON"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sample.Decode(data); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"out", "out.xml", "out.json.gz", "json"} {
		if err := Check(filepath.Join(dir, path)); err == nil || !strings.Contains(err.Error(), ".json .csv .md .txt .html") {
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
		{0, sample.Time, "0"},
		{0.25, sample.Time, "0.250 ns"},
		{9.904, sample.Time, "9.90 ns"},
		{12.34, sample.Time, "12.3 ns"},
		{1234, sample.Time, "1.23 µs"},
		{123456, sample.Time, "123 µs"},
		{2.5e9, sample.Time, "2.50 s"},
		{24, sample.Bytes, "24 B"},
		{1024, sample.Bytes, "1 KiB"},
		{1100, sample.Bytes, "1.07 KiB"},
		{5 << 20, sample.Peak, "5 MiB"},
		{7, sample.Allocs, "7"},
		{1500, sample.Allocs, "1.50 k"},
		{3.25, "fill", "3.25"},
		{2048, "idle-B", "2 KiB"},
		{1.5e9, rate, "1.50 GB/s"},
	} {
		if got := figure(tt.v, tt.unit); got != tt.want {
			t.Errorf("figure(%v, %s) is %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
}
