package testrun

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/poolcheck/internal/status"
)

var testdata, _ = filepath.Abs("testdata")

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "test" && Helper(os.Args[2:]) {
		return
	}
	if os.Getenv("POOLCHECK_TEST_RUN") != "" {
		r := Run(os.Args[2:], os.Stdout, os.Stderr)
		fmt.Println(briefs(r.Findings))
		os.Exit(r.Status)
	}
	os.Exit(m.Run())
}

// runIn runs the command in a folder of testdata and returns what it said, too.
func runIn(t *testing.T, dir string, args ...string) (*Result, string) {
	t.Helper()
	t.Chdir(filepath.Join(testdata, filepath.FromSlash(dir)))
	if !strings.HasPrefix(dir, "workspace") {
		t.Setenv("GOWORK", "off")
	} else {
		t.Setenv("GOWORK", "")
	}
	var stdout, stderr bytes.Buffer
	r := Run(args, &stdout, &stderr)
	return r, stdout.String() + stderr.String()
}

// brief shows what tests look at of a finding.
func brief(f *Finding) string {
	return fmt.Sprintf("%s: %s: %s: %s", strings.Join(f.Tests, ","), f.At().at(), f.Code, f.Message)
}

func briefs(findings []*Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, brief(f))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestFindings(t *testing.T) {
	t.Setenv("UNSTEADY", t.TempDir())
	r, said := runIn(t, "toy", "./...")
	want := []string{
		"TestAmongOthers: crash_test.go:32: OCT003: a *[64]uint8 is put a second time by crash_test.go:33 while it is still in a pool from here",
		"TestCloseOnce: toy.go:35: OCT001: a *toy.conn is written after it was put here: its once.done.v changed",
		"TestCount: toy.go:69: OCT001: a *[]uint8 is read after it was put here",
		"TestIndex: crash_test.go:14: OCT001: a *[64]uint8 is read after it was put here, by crash_test.go:16",
		"TestLater: crash_test.go:22: OCT001: a *[64]uint8 is read after it was put here, by crash_test.go:23",
		"TestLine: toy.go:61: OCT001: a *toy.conn is read after it was put here, by toy_test.go:30",
		"TestStale: toy_test.go:19: OCT001: a *toy.conn is written after it was put here: its closed changed",
		"TestTwice: toy.go:44: OCT003: a *toy.conn is put a second time by toy.go:46 while it is still in a pool from here",
		"TestUpper,TestUpperLater,TestSuite/upper_case: toy.go:17: OCT001: a *bytes.Buffer is read after it was put here, by toy_test.go:6",
	}
	if runtime.GOOS != "linux" { // there are no guarded pages, and so no reader
		for i, w := range want {
			want[i], _, _ = strings.Cut(w, ", by")
		}
	}
	if got := briefs(r.Findings); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, strings.Join(want, "\n"), said)
	}
	if r.Status != status.Findings {
		t.Errorf("exit status %d", r.Status)
	}
	for _, f := range r.Findings {
		inTest := strings.HasSuffix(f.At().File, "_test.go")
		if (f.Origin == "in test code") != inTest {
			t.Errorf("%s: %q", brief(f), f.Origin)
		}
		if want := "poolcheck test -run='^" + f.Tests[0] + "$' " + f.Package; f.Again != want {
			t.Errorf("%s: the command is %q, not %q", brief(f), f.Again, want)
		}
	}
}

// A buffer is looked at wherever a pooled struct has it, and a slice also if it always has the same content.
func TestHeld(t *testing.T) {
	r, said := runIn(t, "held")
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprintf("%s:%d %s", f.Tests[0], f.At().Line, f.Code))
		if runtime.GOOS == "linux" && len(f.Fault) == 0 {
			t.Errorf("%s: the reader is not known", brief(f))
		}
	}
	slices.Sort(got)
	want := "[TestContained:38 OCT001 TestEmbedded:23 OCT001 TestPeeked:86 OCT001 TestPointed:61 OCT001 TestRenamed:74 OCT001 TestSliced:49 OCT001 TestUnnamed:105 OCT001]"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %s\nwant %s\n%s", got, want, said)
	}
}

// What is legal is not reported, and what is not confirmed is counted.
func TestLegal(t *testing.T) {
	t.Setenv("UNSTEADY", t.TempDir())
	r, said := runIn(t, "legal", "-v", "./...")
	if len(r.Findings) > 0 || r.Status != status.Clean {
		t.Errorf("exit status %d, findings:\n%s", r.Status, briefs(r.Findings))
	}
	for _, want := range []string{
		"not confirmed: 1 tests also fail if memory is kept and not overwritten",
		"not confirmed: 1 tests failed once and not again",
		"1 packages do not depend on a sync.Pool and are not run",
		"building the tests of 8 packages",
		"poolcheck test: example.com/legal/odd: ",
		" places: nothing found\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "not confirmed"); n != 2 {
		t.Errorf("%d lines of what is not confirmed:\n%s", n, said)
	}
}

func TestDependency(t *testing.T) {
	r, said := runIn(t, "vendored")
	if len(r.Findings) != 1 || r.Findings[0].Origin != "in a dependency" || r.Findings[0].At().at() != "dep.go:14" {
		t.Errorf("got\n%s\n%s", briefs(r.Findings), said)
	}
}

// The modules of a workspace are no dependencies of each other.
func TestWorkspace(t *testing.T) {
	r, said := runIn(t, "workspace/user")
	if len(r.Findings) != 1 || brief(r.Findings[0]) != "TestUse: lib.go:10: OCT003: a *int is put a second time by lib.go:11 while it is still in a pool from here" || r.Findings[0].Origin != "" {
		t.Errorf("got\n%s\n%s", briefs(r.Findings), said)
	}
}

// It names the calls of Put that no test reaches.
func TestUnreached(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/some\n\ngo 1.26.0\n")
	write(t, dir, "some.go", `package some

import "sync"

type server struct{ pools [2]sync.Pool }

var all = new(sync.Pool)

func (s *server) reached(x *int) {
	defer s.pools[0].Put(x)
	all.Put(x)
	*x++
}

func (s *server) not(x *int) {
	local := sync.Pool{}
	local.Put(x)
	func() {
		defer s.pools[1].Put(x)
	}()
}

type cache struct{}

func (cache) Put(x any) {}

func (cache) other(c cache) { c.Put(1) }
`)
	write(t, dir, "some_test.go", `package some

import "testing"

func TestReached(t *testing.T) { new(server).reached(new(int)) }
`)
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	var out bytes.Buffer
	if r := Run(nil, &out, &out); !strings.Contains(out.String(), "2 of 4 places of Put are reached by no test: some.go:17, some.go:19\n") {
		t.Errorf("exit status %d: %s", r.Status, &out)
	}
}

// Without time for more than the first runs there are no reads, and it says so.
func TestBudget(t *testing.T) {
	r, said := runIn(t, "toy", "-budget=1ns", "-run=^(TestUpper|TestTwice)$")
	if got := briefs(r.Findings); !strings.HasPrefix(got, "TestTwice: toy.go:44: OCT003: ") || strings.Contains(got, "\n") {
		t.Errorf("got\n%s", got)
	}
	if want := "no time was left for 1 tests that fail with overwritten memory; -budget gives more than 1ns"; !strings.Contains(said, want) {
		t.Errorf("it does not say %q:\n%s", want, said)
	}
}

func TestFailsWithout(t *testing.T) {
	r, said := runIn(t, "failing", "-short", "-count=2")
	if r.Status != status.Incomplete || !strings.Contains(said, "TestFails, TestSecond failed without poolcheck, too") {
		t.Errorf("exit status %d:\n%s", r.Status, said)
	}
	if r, said = runIn(t, "failing", "-short", "-count=2", "-tolerate"); r.Status != status.Clean || !strings.Contains(said, "TestFails, TestSecond failed") {
		t.Errorf("with -tolerate, exit status %d:\n%s", r.Status, said)
	}
	r, said = runIn(t, "failing", "-timeout=3s")
	if want := "TestFails, TestHangs failed or did not end in 3s without poolcheck, too"; !strings.Contains(said, want) {
		t.Errorf("it does not say %q:\n%s", want, said)
	}
	if got := briefs(r.Findings); !strings.HasPrefix(got, "TestTwice: failing_test.go:56: OCT003: ") || strings.Contains(got, "\n") {
		t.Errorf("got %s:\n%s", got, said)
	}
}

// Whoever interrupts the command, also without its test binaries, ends these, and the folder is gone. What was found
// until then is reported, and what was done.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal")
	}
	temp, pipe := t.TempDir(), filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	t.Setenv("HANGS", pipe)
	cmd := exec.Command(os.Args[0], "test", "-p=2", "-run=^(TestHangs|TestAgain)$", ".", "./twice")
	cmd.Dir = filepath.Join(testdata, "failing")
	cmd.Env = append(os.Environ(), "GOWORK=off", "POOLCHECK_TEST_RUN=1")
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan int)
	go func() {
		cmd.Wait()
		in.Close()
		ended <- cmd.ProcessState.ExitCode()
	}()
	running, err := os.Open(pipe) // as soon as the test writes to it
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	if _, err := running.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if strings.HasPrefix(lines.Text(), "poolcheck test: example.com/failing/twice: ") {
			cmd.Process.Signal(os.Interrupt)
		}
	}
	if code := <-ended; code != status.Findings {
		t.Errorf("exit status %d", code)
	}
	for _, want := range []string{
		"TestAgain: twice_test.go:13: OCT003: a *int is put a second time by twice_test.go:14 ",
		"poolcheck test: example.com/failing: what is put at failing_test.go:20 is put again: seen in one run, and not looked for in another\n",
		"poolcheck test: interrupted: 1 of 2 packages, ",
		" places of Put reached: 1 finding\n",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &said)
		}
	}
	if n, err := running.Read(make([]byte, 1)); n != 0 || err != io.EOF { // nobody has it open
		t.Errorf("read %d bytes of the test binary: %v", n, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// What is wrong with the runs of one package says nothing of the others.
func TestUnreadable(t *testing.T) {
	r, said := runIn(t, "failing", "./garbled", "./twice")
	if got := briefs(r.Findings); !strings.HasPrefix(got, "TestAgain: twice_test.go:13: OCT003: ") {
		t.Errorf("got\n%s", got)
	}
	if !strings.Contains(said, `poolcheck test: example.com/failing/garbled: `) || !strings.Contains(said, `unknown line "what"`) {
		t.Errorf("it does not say what is wrong:\n%s", said)
	}
}

// Where there is no time for another run, what two have shown is reported, and what one has shown is said.
func TestOutOfTime(t *testing.T) {
	places := map[string]*putPlace{
		"a": {"*int", []Frame{{"example.com/m.A", "/m/a.go", 1}}},
		"b": {"*int", []Frame{{"example.com/m.B", "/m/b.go", 2}}},
	}
	double := func(place string) event { return event{Kind: Double, Place: place} }
	first := &firstRuns{
		records: &outcome{Passed: true, Report: &report{Places: places, Events: []event{double("a"), double("b")}}},
		poison:  &outcome{Failed: []string{"TestA", "TestB"}, Report: &report{Events: []event{double("b")}}},
	}
	j := &judge{firstRuns: first, counts: &counts{reached: make(map[Frame]bool)}, progress: func(string) {}}
	err := j.judge()
	got := fmt.Sprintf("%v: %d, %s; %q; %d", err, len(j.found), briefs(j.found), j.once, j.counts.unfinished)
	if want := `out of time: 1, : b.go:2: OCT003: a *int is put a second time by .:0 while it is still in a pool from here; ["what is put at a.go:1 is put again"]; 2`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDoesNotBuild(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/broken\n\ngo 1.26.0\n")
	write(t, dir, "a_test.go", "package broken\n\nimport \"sync\"\n\nvar p sync.Pool = 1\n")
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	var out bytes.Buffer
	if r := Run(nil, &out, &out); r.Status != status.Incomplete || !strings.Contains(out.String(), "a_test.go:5") {
		t.Errorf("exit status %d: %s", r.Status, &out)
	}
}

func TestNothingToDo(t *testing.T) {
	for pkg, want := range map[string]string{
		"./nopool":  "nothing in ./nopool or in what it depends on uses sync.Pool",
		"./notests": "no tests in ./notests",
	} {
		if r, said := runIn(t, "legal", pkg); r.Status != status.Clean || !strings.Contains(said, want) {
			t.Errorf("exit status %d: %s", r.Status, said)
		}
	}
}

func TestRace(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the standard library with the race detector")
	}
	if text, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(text)) != "1" {
		t.Skip("the race detector needs cgo")
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // each run would sleep for a second when it ends
	r, said := runIn(t, "toy", "-race", "./race")
	if got, want := briefs(r.Findings), "TestReader: race_test.go:19: OCT005: a *bytes.Buffer is accessed by another goroutine while it is put here, by race_test.go:26"; got != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, want, said)
	}
	for _, f := range r.Findings {
		if !strings.HasPrefix(f.Again, "poolcheck test -race -run=") {
			t.Errorf("the command is %q", f.Again)
		}
	}
}

// Octet's own pools are checked in the same run.
func TestOctet(t *testing.T) {
	if _, err := os.Stat("../../../bytespool"); err != nil {
		t.Skip("the root module is not beside this one")
	}
	r, said := runIn(t, "octetuser")
	if len(r.Findings) != 1 || !strings.HasPrefix(brief(r.Findings[0]), "TestRelease: octetuser_test.go:13: OCT003: released twice: slice of 1024 bytes") ||
		headline(r.Findings[0].Fault, nil).at() != "octetuser_test.go:14" {
		t.Errorf("got\n%s\n%s", briefs(r.Findings), said)
	}
}

// A release whose sync.Pool has another shape is refused by its name.
// A program that poolcheck build has made does what it does otherwise, and says what is wrong.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	t.Chdir(filepath.Join(testdata, "built"))
	t.Setenv("GOWORK", "off")
	var said bytes.Buffer
	if code := Build("build", []string{"-o", program, "."}, &said, &said); code != status.Clean {
		t.Fatalf("exit status %d: %s", code, &said)
	}
	run := func(what, settings string) (stdout, stderr string, code int) {
		t.Helper()
		cmd := exec.Command(program, what)
		cmd.Env = append(os.Environ(), "POOLCHECK="+settings)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	for _, test := range []struct{ what, stdout, message, put, then string }{
		{"read", "read after Put\n", "OCT001: a *bytes.Buffer is accessed after it was put\n", "main.go:29", "main.read"},
		{"write", "written\n", "OCT001: a *main.state is written after it was put: its n changed\n", "main.go:36", ""},
		{"double", "twice\n", "OCT003: a *main.state is put a second time\n", "main.go:43", "main.go:44"},
		{"right", "4 sums\n", "", "", ""},
	} {
		if test.what == "read" && runtime.GOOS != "linux" {
			continue // memory is not made inaccessible
		}
		stdout, stderr, code := run(test.what, "every=1")
		put, then, _ := strings.Cut(stderr, "then by")
		if stdout != test.stdout || code != 0 || !strings.Contains(put, test.message) || !strings.Contains(put, test.put) ||
			!strings.Contains(then, test.then) || test.message == "" && stderr != "" {
			t.Errorf("%s: exit status %d, %q\n%s", test.what, code, stdout, stderr)
		}
		if stdout, stderr, code := run(test.what, "off"); stdout != test.stdout || code != 0 || stderr != "" {
			t.Errorf("%s, off: exit status %d, %q\n%s", test.what, code, stdout, stderr)
		}
	}
	if stdout, stderr, code := run("double", "every=1,then=exit"); stdout != "" || code != 66 || !strings.Contains(stderr, "OCT003") {
		t.Errorf("with then=exit: exit status %d, %q\n%s", code, stdout, stderr)
	}
	file := filepath.Join(dir, "report.sarif")
	_, stderr, _ := run("double", "every=1,report="+file)
	text, err := os.ReadFile(file)
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID           string
				OccurrenceCount  int
				RelatedLocations []any
			}
		}
	}
	if err != nil || json.Unmarshal(text, &log) != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 || stderr != "" {
		t.Fatalf("%v\n%s\n%s", err, text, stderr)
	}
	if r := log.Runs[0].Results[0]; r.RuleID != "OCT003" || r.OccurrenceCount != 1 || len(r.RelatedLocations) != 4 {
		t.Errorf("in SARIF: %+v", r)
	}
	said.Reset()
	if code := Build("build", []string{"-race", "."}, &said, &said); code != status.Usage || !strings.Contains(said.String(), "-race does not go with it") {
		t.Errorf("with -race: exit status %d: %s", code, &said)
	}
}

func TestUnknownRelease(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the go command of this test is a shell script")
	}
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	write(t, root, "src/sync/pool.go", "package sync\n\ntype Pool struct{ New func() any }\n\nfunc (p *Pool) Put(x, y any) {}\n")
	env, err := json.Marshal(map[string]string{"GOVERSION": "go1.99.1", "GOROOT": root, "GOMODCACHE": dir + "/mod"})
	if err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "bin/go", fmt.Sprintf("#!/bin/sh\n[ $1 = env ] || exec '%s' \"$@\"\necho '%s'\n", real, env))
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	r, said := runIn(t, "failing")
	if r.Status != status.Incomplete || !strings.Contains(said, "go1.99.1") {
		t.Errorf("exit status %d: %s", r.Status, said)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}

// Each line that is needed of the standard library is missed if it is another.
func TestShape(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := &toolchain{version: "go1.99.1", root: strings.TrimSpace(string(root))}
	other := &toolchain{version: known.version, root: t.TempDir()}
	texts := make(map[string]string)
	for _, s := range shape {
		text, err := os.ReadFile(filepath.Join(known.root, "src", s.file))
		if err != nil {
			t.Fatal(err)
		}
		texts[s.file] = string(text)
		write(t, other.root, "src/"+s.file, string(text))
	}
	if _, err := other.files(); err != nil {
		t.Fatal(err)
	}
	for _, s := range shape {
		write(t, other.root, "src/"+s.file, strings.Replace(texts[s.file], "\n"+s.line, "\n//"+s.line, 1))
		var unknown *unknownShape
		if _, err := other.files(); !errors.As(err, &unknown) || !strings.Contains(err.Error(), s.file) {
			t.Errorf("without %q in %s: %v", s.line, s.file, err)
		}
		write(t, other.root, "src/"+s.file, texts[s.file])
	}
}

// The hash table of package poolwatch, which only the overlay builds.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/poolwatch\n\ngo 1.26.0\n")
	for from, to := range map[string]string{"_std/poolwatch/table.go": "table.go", "testdata/table_test.go": "table_test.go"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, to, string(text))
	}
	cmd := exec.Command("go", "test")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The map in the package's comment has its files.
func TestMap(t *testing.T) {
	for dir, doc := range map[string]string{".": "testrun.go", "_std/poolwatch": "_std/poolwatch/watch.go"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		var mapped, files []string
		_, lines, _ := strings.Cut(string(text), "// # Map\n//\n")
		for line := range strings.Lines(lines) {
			if !strings.HasPrefix(line, "//\t") {
				break
			}
			mapped = append(mapped, strings.Fields(line)[1])
		}
		names, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, "_test.go") {
				files = append(files, filepath.Base(name))
			}
		}
		slices.Sort(mapped)
		if !slices.Equal(mapped, files) {
			t.Errorf("%s: the map has %q, the folder %q", doc, mapped, files)
		}
	}
}

func TestParse(t *testing.T) {
	o, err := parse(strings.Fields("-race -tags a,b ./x -v -run=^T$ --count 2 ./... -sarif - -timeout=5m -args -json y"))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(o.build, o.test, o.patterns, o.args, o.Verbose, o.JSON, o.SARIF, o.timeout)
	if want := "[-race -tags=a,b] [-run=^T$ -count=2] [./x ./...] [-json y] true false - 5m0s\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, args := range []string{"-cover", "-coverpkg=./...", "-exec=x", "-nosuch", "-run", "-budget=x"} {
		if _, err := parse([]string{args}); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}

// What stands behind the package is for the program that poolcheck run starts.
func TestLeadingFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-o server -race ./cmd/server":          "[o race]",
		"--tags=a -ldflags -s -x . -help -race": "[tags ldflags x]",
		". -race":                               "[]",
		"-work":                                 "[work]",
		"-buildvcs -C=/tmp -exec qemu ./x -msan y": "[buildvcs C exec]",
	} {
		if got := fmt.Sprint(leadingFlags(strings.Fields(args))); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

func TestFailedNames(t *testing.T) {
	for output, want := range map[string]string{
		"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\n        --- FAIL: TestA/sub/x (0.00s)\n--- FAIL: TestB (0.01s)\nFAIL\n": "TestA/sub,TestB crashed=false",
		"--- FAIL: TestA (0.00s)\npanic: index out of range [recovered]\n\ngoroutine 7 [running]:\n":                                       "TestA crashed=true",
		"panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\ngoroutine 1:\n":                                               "TestA crashed=true",
		"FAIL: a_test.go:7: Suite.TestX\n\nOOPS: 1 passed, 1 FAILED\n--- FAIL: Test (0.01s)\nFAIL\n":                                       "Suite.TestX crashed=false",
		"found unexpected goroutines\n": " crashed=false",
	} {
		o := outcome{Output: output}
		o.judgeOutput()
		if got := fmt.Sprintf("%s crashed=%v", strings.Join(o.Failed, ","), o.Crashed); got != want {
			t.Errorf("%q: got %s, want %s", output, got, want)
		}
	}
	many := outcome{Output: "--- FAIL: TestA (0.00s)\n"}
	for i := range maxSubtests + 1 {
		many.Output += fmt.Sprintf("    --- FAIL: TestA/%d (0.00s)\n", i)
	}
	if many.judgeOutput(); !slices.Equal(many.Failed, []string{"TestA"}) {
		t.Errorf("with %d subtests that fail: %q", maxSubtests+1, many.Failed)
	}
}

// Tests of gopkg.in/check.v1 are named with their suite, and run within one test.
func TestArguments(t *testing.T) {
	b := &testBinary{Args: []string{"-test.timeout=0s", "-test.count=1", "-test.run=A", "-test.skip=B/C", "-mine"}}
	for want, c := range map[string]choice{
		"-test.timeout=1m0s -test.count=1 -test.run=A -test.skip=B/C -mine":                  {},
		"-test.timeout=1m0s -test.run=^X$|^Y$/^Z\\+$ -test.count=1 -test.skip=B/C -mine":     {tests: []string{"X", "Y/Z+"}},
		"-test.timeout=1m0s -test.run=^X$ -test.count=8 -test.skip=B/C -mine":                {tests: []string{"X"}, extra: []string{"-test.count=8"}},
		"-test.timeout=1m0s -check.f=^S\\.X$ -test.count=1 -test.run=A -test.skip=B/C -mine": {tests: []string{"S.X"}},
		"-test.timeout=1m0s -test.skip=^Z$|B/C -test.count=1 -test.run=A -mine":              {skip: []string{"Z", "S.X"}},
	} {
		if got := strings.Join(b.arguments(c, time.Minute), " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestHeadline(t *testing.T) {
	std := Frame{"net/http.(*Server).Serve", "/go/src/net/http/server.go", 1}
	put := Frame{"example.com/pool.(*Pool[...]).Put", "/x/pool.go", 2}
	release := Frame{"example.com/buf.releaseBuffer", "/x/buf.go", 3}
	user := Frame{"example.com/user.Do.func1", "/x/user.go", 4}
	again := Frame{release.Func, release.File, 5}
	for _, c := range []struct {
		want         int
		stack, other []Frame
	}{
		{4, []Frame{put, release, user, std}, nil},
		{3, []Frame{release, std, user}, nil},
		{1, []Frame{std}, nil},
		{2, []Frame{std, put}, nil},
		{3, []Frame{put, release, user, std}, []Frame{put, again, user, std}}, // twice in one function
		{4, []Frame{put, release, user, std}, []Frame{put, release, user, std}},
		{4, []Frame{put, release, user, std}, []Frame{put, release, {user.Func, user.File, 6}, std}},
		{4, []Frame{put, release, user, std}, []Frame{{"example.com/user.read", "/x/user.go", 7}, user, std}},
	} {
		if got := headline(c.stack, c.other).Line; got != c.want {
			t.Errorf("%v beside %v: line %d, want %d", c.stack, c.other, got, c.want)
		}
	}
}

// A method is no test of package testing, which could run it by its name.
func TestTestOf(t *testing.T) {
	for name, want := range map[string]string{
		"example.com/user.TestDo":                "TestDo",
		"example.com/user_test.TestDo.func2.1":   "TestDo",
		"user.FuzzDo.func1.gowrap2":              "FuzzDo",
		"example.com/user.s.TestDo":              "",
		"example.com/user.(*Suite).TestDo.func1": "",
		"example.com/user%2ev2.ExampleDo":        "ExampleDo",
		"example.com/user.parse":                 "",
	} {
		stack := []Frame{{"example.com/user.Do", "/x/user.go", 1}, {name, "/x/user_test.go", 2}, {"testing.tRunner", "/go/src/testing/testing.go", 3}}
		if got := testOf(stack); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The command that shows a finding again runs what was asked for, if no test is known.
func TestAgain(t *testing.T) {
	o, err := parse(strings.Fields("-race -work -short -run=A|B -skip=^A$/^C$ ./... -args -x"))
	if err != nil {
		t.Fatal(err)
	}
	c := &command{Options: o}
	for want, tests := range map[string][]string{
		"poolcheck test -race -short -skip='^A$/^C$' -run='^A$' example.com/m -args -x": {"", "A", "B"},
		"poolcheck test -race -short -run='A|B' -skip='^A$/^C$' example.com/m -args -x": {""},
	} {
		if got := c.again(&Finding{Tests: tests, Package: "example.com/m"}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
