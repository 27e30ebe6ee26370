package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/groups"
	"github.com/octet-go/octet/internal/testenv"
)

// The tests run the program itself: this test binary behaves as octet when this
// variable is set.
const becomeOctet = "OCTET_TEST_BECOME"

func TestMain(m *testing.M) {
	if os.Getenv(becomeOctet) != "" {
		os.Exit(run(os.Args[1:], testGroups, os.Stdout, os.Stderr))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // under -race each child would sleep for a second before it exits
	os.Exit(m.Run())
}

// testGroups returns the groups of octet and one more, which runs
// its contestants in child processes.
func testGroups() []contest.Group {
	hash := func(kib int) func() func(int) {
		return func() func(int) {
			data := make([]byte, kib<<10)
			return func(n int) {
				for range n {
					sha256.Sum256(data)
				}
			}
		}
	}
	return append(groups.All(), contest.Group{
		Name:  "selftest",
		About: "Processes are busy.",
		Rows: []contest.Row{{
			Name:    "op=busy",
			Process: &contest.Process{Operations: 10, Env: []string{"GOMEMLIMIT=64MiB"}},
			Contestants: []contest.Contestant{
				{Name: "octet", Start: hash(1)},
				{Name: "slow", Start: hash(8 << 10)},
			},
		}},
	})
}

// result is what a run shows to the outside.
type result struct {
	code           int
	stdout, stderr string
}

// octet runs the program in dir. Its output goes to stdout, or to the result if
// stdout is nil.
func octet(t *testing.T, dir string, stdout *os.File, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), becomeOctet+"=1")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if stdout != nil {
		cmd.Stdout = stdout
	}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	} else if ok && !exit.Exited() {
		t.Fatalf("%v: %v", args, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), loaded.ReplaceAllString(errs.String(), "")}
}

// loaded is the line by which bench says that others use the machine, as they may during a
// test.
var loaded = regexp.MustCompile(`(?m)^Warning: this machine is loaded\. .*\n`)

// brief returns arguments that measure one row in as little time as possible.
func brief(more ...string) []string {
	g := groups.All()[1]
	row := "^" + regexp.QuoteMeta(g.Name+"/"+g.Rows[0].Name) + "$"
	return append([]string{"bench", "--run", row, "--time", "50ms"}, more...)
}

// names returns the names of the files in dir.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestBench(t *testing.T) {
	dir := t.TempDir()
	r := octet(t, dir, nil, brief("-o", "a.txt", "--output", filepath.Join(dir, "b.txt"))...)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
	if !strings.Contains(r.stdout, groups.All()[1].Rows[0].Contestants[0].Name) {
		t.Errorf("no contestant in\n%s", r.stdout)
	}
	if strings.Contains(r.stdout, "\x1b") {
		t.Error("colours in a pipe")
	}
	if !strings.HasPrefix(r.stdout, "Octet is ") && !strings.HasPrefix(r.stdout, "No verdict: this machine was loaded. ") {
		t.Errorf("the output does not begin with a verdict:\n%s", r.stdout)
	}
	if got := strings.Join(names(t, dir), " "); got != "a.txt b.txt" {
		t.Errorf("files: %s", got)
	}
	for _, name := range names(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(data) < 200 {
			t.Errorf("%s has %d bytes, %v", name, len(data), err)
		}
		if bytes.Contains(data, []byte(dir)) {
			t.Errorf("%s names the directory it was written to", name)
		}
	}
}

// Every error is reported in one line on stderr and exits with 2. Nothing is
// written to stdout and no file is created.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("broken.json", `{"schema": "octet bench",`)
	newModule(t, filepath.Join(dir, "m"))
	if err := os.Mkdir(filepath.Join(dir, "folder.txt"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)

	var running errgroup.Group
	running.SetLimit(2 * runtime.NumCPU())
	type line struct {
		args []string
		says string
	}
	lines := []line{
		{[]string{"bench", "--frobnicate"}, "unknown flag: --frobnicate"},
		{[]string{"bench", "-x"}, "unknown shorthand flag"},
		{[]string{"bench", "extra"}, "extra"},
		{[]string{"bnech"}, `unknown command "bnech"`},
		{[]string{"bench", "--run", "("}, "--run"},
		{[]string{"bench", "--run", "^no such row$"}, "matches no row; the groups are patterns, pool, buffer, "},
		{[]string{"bench", "--list", "--run", "nosuch"}, "matches no row; the groups are patterns, pool, buffer, "},
		{[]string{"bench", "--list", "--run", "("}, "--run"},
		{[]string{"version", "1"}, "unknown command"},
		{[]string{"advise"}, "profiles are missing"},
		{[]string{"advise", "--bench", "X"}, "needs one package"},
		{[]string{"advise", "--against", "HEAD", "x"}, "--against needs --bench"},
		{[]string{"advise", "--compare", "x.json"}, "--compare needs two files"},
		{[]string{"advise", "--compare", "broken.json", "broken.json"}, "broken.json was not written by octet advise"},
		{[]string{"advise", "--seconds", "0", "x"}, "--seconds"},
		{[]string{"advise", "--diff", "--json", "x"}, "leave --fix and --json out"},
		{[]string{"advise", "broken.json"}, "is in no module"},
		{[]string{"advise", "--dir", "nowhere", "x"}, "nowhere"},
		{[]string{"advise", "--dir", "m", "none.pprof"}, "none.pprof"},
		{[]string{"advise", "--dir", "m", "localhost:6060/debug/pprof"}, "begins with http://"},
		{[]string{"advise", "--dir", "m", "m"}, "the benchmarks of a package are profiled with --bench"},
		{[]string{"advise", "--dir", "m", "broken.json"}, "broken.json is no profile"},
		{[]string{"advise", "--dir", "m", "http://127.0.0.1:1/debug/pprof"}, "127.0.0.1:1"},
		{[]string{"advise", "--dir", "m", "--bench", "X", "./gone"}, "gone"},
		{[]string{"advise", "--dir", "m", "--bench", "X", "container/..."}, "container/... names 3 packages"},
		{[]string{"child"}, "internal to octet"},
		{[]string{"bench", "--rounds", "0"}, "--rounds"},
		{[]string{"bench", "--rounds", "many"}, "--rounds"},
		{[]string{"bench", "--time", "-1s"}, "--time"},
		{[]string{"bench", "--layouts=-1"}, "--layouts"},
		{[]string{"bench", "--layouts", "4"}, "--layouts=4"},
		{[]string{"bench", "--layouts", "--quick"}, "layouts quick"},
		{brief("--layouts=2"), "run it in a checkout of github.com/octet-go/octet: "},
		{[]string{"bench", "--time", "soon"}, "--time"},
		{brief("-o", "\x1b[2Jnone/out.txt"), "\uFFFD[2Jnone"},
		{brief("-o", "out.xml"), "out.xml"},
		{brief("-o", "folder.txt"), "folder.txt is a directory"},
		{brief("-o", "out"), "must end in"},
		{brief("-o", "none/out.txt"), "none"},
		{brief("-o", "broken.json/out.txt"), "broken.json"},
	}
	if !testing.Short() { // these build a test
		lines = append(lines,
			line{[]string{"advise", "--dir", "m", "--bench", "(", "."}, "error parsing regexp"},
			line{[]string{"advise", "--dir", "m", "--bench", "None", "."}, "no benchmark of example.com/m matches None"},
			line{[]string{"advise", "--dir", "m", "--bench", "Fails", "."}, "the benchmark failed"},
			line{[]string{"advise", "--dir", "m", "--bench", "Slow", "--seconds", "1", "."}, "1s are too short for one operation of each benchmark that matches Slow"},
		)
	}
	for _, tt := range lines {
		running.Go(func() error {
			r := octet(t, dir, nil, tt.args...)
			if r.code != 2 {
				t.Errorf("%v: exit %d", tt.args, r.code)
			}
			if strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "octet: ") || !strings.Contains(r.stderr, tt.says) {
				t.Errorf("%v: stderr %q; should speak of %q in one line", tt.args, r.stderr, tt.says)
			}
			if r.stdout != "" {
				t.Errorf("%v: stdout %q", tt.args, r.stdout)
			}
			return nil
		})
	}
	running.Wait()
	if after := names(t, dir); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("files before %v, after %v", before, after)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help", "bench"}, {"bench", "--help"}, {"advise", "--help"}} {
		r := octet(t, t.TempDir(), nil, args...)
		if r.code != 0 || r.stderr != "" || !strings.Contains(r.stdout, "bench") {
			t.Errorf("%v: exit %d, stderr %q, stdout %q", args, r.code, r.stderr, r.stdout)
		}
		for line := range strings.Lines(r.stdout) {
			if len(line) > 90 {
				t.Errorf("%v: a line of %d columns: %q", args, len(line), line)
			}
		}
	}
}

// A group that uses child processes works from the command line to the report.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	r := octet(t, dir, nil, "bench", "--run", "selftest", "--rounds", "8", "-o", "a.txt")
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
	for _, want := range []string{
		`selftest +\d +\d +\d +\d +\S+× +\S+× op=busy \(slow\)|No verdict: this machine was loaded`,
		`(?m)^selftest: processor time\n row +octet +slow\n.*\n op=busy .* \*$`, // the table
	} {
		if !regexp.MustCompile(want).MatchString(r.stdout) {
			t.Errorf("%s is not in\n%s", want, r.stdout)
		}
	}
	samples := saved(t, filepath.Join(dir, "a.txt"))
	light, heavy := samples["Selftest/op=busy/of=octet cpu-sec/op"], samples["Selftest/op=busy/of=slow cpu-sec/op"]
	if len(light) != 8 || len(heavy) != 8 || len(samples["Selftest/op=busy/of=slow sec/op"]) != 8 {
		t.Fatalf("samples: %v", samples)
	}
	// One contestant hashes 10 KiB, the other 80 MiB, which takes some 50
	// ms.
	if light, heavy := slices.Min(light), slices.Min(heavy); light >= heavy {
		t.Errorf("%v s of processor time for little work, %v for much", light, heavy)
	}
}

// saved returns the samples in a file by the names of contestants and units.
func saved(t *testing.T, file string) map[string][]float64 {
	t.Helper()
	var files benchfmt.Files
	files.Paths = []string{file}
	samples := make(map[string][]float64)
	for files.Scan() {
		r, ok := files.Result().(*benchfmt.Result)
		if !ok {
			t.Fatal(files.Result())
		}
		name, _, _ := strings.Cut(r.Name.String(), fmt.Sprint("-", runtime.GOMAXPROCS(0)))
		for _, v := range r.Values {
			samples[name+" "+v.Unit] = append(samples[name+" "+v.Unit], v.Value)
		}
	}
	if err := files.Err(); err != nil {
		t.Fatal(err)
	}
	return samples
}

// The program is built from this checkout, and each build is one sample.
func TestLayouts(t *testing.T) {
	testenv.Long(t)
	report := filepath.Join(t.TempDir(), "a.txt")
	r := octet(t, ".", nil, brief("--layouts=2", "--rounds", "2", "-o", report)...)
	if r.code != 0 || r.stderr != "" || !strings.Contains(r.stdout, "medians of 2 layouts of the program\n") {
		t.Fatalf("exit %d, stderr %q, stdout %q", r.code, r.stderr, r.stdout)
	}
	samples := saved(t, report)
	if len(samples) == 0 {
		t.Error("no samples")
	}
	for name, values := range samples {
		if len(values) != 2 {
			t.Errorf("%s: %v", name, values)
		}
	}
	t.Setenv("PATH", "")
	if r := octet(t, ".", nil, brief("--layouts=3")...); r.code != 2 || !strings.Contains(r.stderr, "the go command, which is missing") {
		t.Errorf("without the go command: exit %d, stderr %q", r.code, r.stderr)
	}
}

// newModule writes a module with a benchmark that allocates, and one that fails.
func newModule(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m.go": `package m

import "io"

func read(r io.Reader, n int) error {
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	return err
}
`,
		"m_test.go": `package m

import (
	"bytes"
	"testing"
	"time"
)

func BenchmarkRead(b *testing.B) {
	data := make([]byte, 8<<10)
	for b.Loop() {
		if err := read(bytes.NewReader(data), len(data)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFails(b *testing.B) { b.Fatal("on purpose") }

func BenchmarkSlow(b *testing.B) { time.Sleep(time.Hour) }
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// The maps of packages name their files.
func TestFileMaps(t *testing.T) {
	for _, name := range []string{"bench", "groups", "measure", "patterns", "report"} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Join("internal", name))
			testenv.WantFileMap(t)
		})
	}
}

// A benchmark is run and its profiles are read: from the command line to the report.
func TestAdvise(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	newModule(t, dir)
	before := names(t, dir)
	r := octet(t, dir, nil, "advise", "--bench", "Read", "--seconds", "1", ".")
	if r.code != 0 || r.stderr != "" || strings.Contains(r.stdout, "\x1b") {
		t.Fatalf("exit %d, stderr %q, stdout %q", r.code, r.stderr, r.stdout)
	}
	for _, want := range []string{`^(Pool it|Little to gain|Leave it|Read first): `, `(?m)^ 1\. m\.go:6  m\.read$`, `b := bytespool\.New\(n\); clear\(b\) unless .*; defer bytespool\.Release\(b\)`} {
		if !regexp.MustCompile(want).MatchString(r.stdout) {
			t.Errorf("%s is not in\n%s", want, r.stdout)
		}
	}
	if after := names(t, dir); !slices.Equal(after, before) {
		t.Errorf("files before %v, after %v", before, after)
	}
}

func TestList(t *testing.T) {
	r := octet(t, t.TempDir(), nil, "bench", "--list")
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
	for _, g := range testGroups() {
		for _, row := range g.Rows {
			if want := "\n  " + g.Name + "/" + row.Name + "\n"; !strings.Contains(r.stdout, want) {
				t.Errorf("%q is not listed", want)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}} {
		r := octet(t, t.TempDir(), nil, args...)
		if r.code != 0 || r.stderr != "" || !regexp.MustCompile(`^octet (\(devel\)|v)[^\n]*, go1\.[^\n]*\n$`).MatchString(r.stdout) {
			t.Errorf("%v: exit %d, stderr %q, stdout %q", args, r.code, r.stderr, r.stdout)
		}
	}
}

// Shells are not offered what is internal.
func TestCompletion(t *testing.T) {
	if r := octet(t, t.TempDir(), nil, "__complete", ""); r.code != 0 || !strings.Contains(r.stdout, "bench") || strings.Contains(r.stdout, "child") {
		t.Errorf("exit %d, stdout %q", r.code, r.stdout)
	}
}
