package testrun

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octet-go/octet/poolcheck/internal/status"
)

// TestMain has the test binary be poolcheck where resultVariable names a file, and the helper that go test starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "test" && Helper(os.Args[2:]) {
		return
	}
	file := os.Getenv(resultVariable)
	switch {
	case file == "":
		os.Exit(m.Run())
	case os.Args[1] != "test":
		os.Exit(Build(os.Args[1], os.Args[2:], os.Stdout, os.Stderr))
	}
	r := Run(os.Args[2:], os.Stdout, os.Stderr)
	text, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(file, text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(status.Usage)
	}
	os.Exit(r.Status)
}

// resultVariable is set in the environment of poolcheck, to a file for the Result.
const resultVariable = "POOLCHECK_TEST_RESULT"

// poolcheck returns the command that runs poolcheck in a folder, and the file for its Result.
func poolcheck(t *testing.T, dir string, env []string, args ...string) (cmd *exec.Cmd, file string) {
	cmd, file = exec.Command(os.Args[0], args...), filepath.Join(t.TempDir(), "result")
	cmd.Dir = filepath.Join("testdata", filepath.FromSlash(dir))
	if filepath.IsAbs(dir) {
		cmd.Dir = dir
	}
	cmd.Env = append(os.Environ(), resultVariable+"="+file, "GOWORK=off", "GORACE=atexit_sleep_ms=0") // each run would sleep for a second when it ends
	cmd.Env = append(cmd.Env, env...)
	return cmd, file
}

// runIn runs poolcheck test in a folder and returns what it said, too.
func runIn(t *testing.T, dir string, args ...string) (*Result, string) {
	t.Helper()
	return runWith(t, dir, nil, args...)
}

// runWith does so with variables of the environment.
func runWith(t *testing.T, dir string, env []string, args ...string) (*Result, string) {
	t.Helper()
	cmd, file := poolcheck(t, dir, env, append([]string{"test"}, args...)...)
	said, _ := cmd.CombinedOutput()
	r := new(Result)
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, r) != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return r, string(said)
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
	needTime(t)
	r, said := toy.result, toy.said
	want := []string{
		"TestAmongOthers: crash_test.go:32: OCT003: a *[64]uint8 is put a second time by crash_test.go:33 while it is still in a pool from here",
		"TestCarried: toy.go:82: OCT001: a *[]uint8 is written after it was put here: byte 0 of 64 of its memory changed",
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
	needTime(t)
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
	needTime(t)
	r, said := runWith(t, "legal", []string{"UNSTEADY=" + t.TempDir()}, "-v", "./...")
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
	needTime(t)
	r, said := runIn(t, "vendored")
	if len(r.Findings) != 1 || r.Findings[0].Origin != "in a dependency" || r.Findings[0].At().at() != "dep.go:14" {
		t.Errorf("got\n%s\n%s", briefs(r.Findings), said)
	}
}

// The modules of a workspace are no dependencies of each other.
func TestWorkspace(t *testing.T) {
	needTime(t)
	r, said := runWith(t, "workspace/user", []string{"GOWORK="})
	if len(r.Findings) != 1 || brief(r.Findings[0]) != "TestUse: lib.go:10: OCT003: a *int is put a second time by lib.go:11 while it is still in a pool from here" || r.Findings[0].Origin != "" {
		t.Errorf("got\n%s\n%s", briefs(r.Findings), said)
	}
}

// It names the calls of Put that no test reaches.
func TestUnreached(t *testing.T) {
	needTime(t)
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
	if r, said := runIn(t, dir); !strings.Contains(said, "2 of 4 places of Put are reached by no test: some.go:17, some.go:19\n") {
		t.Errorf("exit status %d: %s", r.Status, said)
	}
}

// needTime leaves a test out that builds programs with another standard library, and runs it beside others.
func needTime(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds programs, at first with all of their standard library")
	}
	t.Parallel()
	toy.Do(func() { toy.result, toy.said = runWith(t, "toy", []string{"UNSTEADY=" + t.TempDir()}, "./...") })
	if toy.result == nil {
		t.Fatal("the first run has failed")
	}
}

// toy is the run of the module toy. It is the first one, and builds the standard library for the others.
var toy struct {
	sync.Once
	result *Result
	said   string
}

func needOctet(t *testing.T) {
	t.Helper()
	needTime(t)
	if _, err := os.Stat("../../../bytespool"); err != nil {
		t.Skip("the root module is not beside this one")
	}
}

func needRaceDetector(t *testing.T) {
	t.Helper()
	needTime(t)
	if text, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(text)) != "1" {
		t.Skip("the race detector needs cgo")
	}
}

// A race with a Put is reported also if the test fails without poolcheck, and one without a Put is said. So is an access
// after Put in the same goroutine, of what is no slice of bytes.
func TestRaces(t *testing.T) {
	needRaceDetector(t)
	r, said := runIn(t, "races", "-race", "./...")
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprint(f.Tests, " ", f.At().at(), " ", f.Code, " ", headline(f.Fault, nil).at()))
		if !strings.Contains(f.Message, " it is put here, by ") || !strings.HasPrefix(f.Again, "poolcheck test -race -run=") {
			t.Errorf("%s, by the command %q", f.Message, f.Again)
		}
	}
	slices.Sort(got)
	want := []string{
		"[TestFails] races_test.go:25 OCT005 races_test.go:31",
		"[TestField] same_test.go:25 OCT001 same_test.go:27",
		"[TestPasses] races_test.go:25 OCT005 races_test.go:37",
		"[TestReader] reader_test.go:19 OCT005 reader_test.go:26",
	}
	if !slices.Equal(got, want) || r.Status != status.Findings {
		t.Errorf("exit status %d, got\n%s\nwant\n%s\n%s", r.Status, strings.Join(got, "\n"), strings.Join(want, "\n"), said)
	}
	for _, want := range []string{
		"poolcheck test: example.com/races: TestFails",
		", and 1 data race without a Put, which go test -race shows\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
}

// Octet's own pools are checked in the same run.
func TestOctet(t *testing.T) {
	needOctet(t)
	r, said := runIn(t, "octetuser")
	if len(r.Findings) != 1 || !strings.HasPrefix(brief(r.Findings[0]), "TestRelease: octetuser_test.go:14: OCT003: released twice: slice of 1024 bytes") ||
		headline(r.Findings[0].Fault, nil).at() != "octetuser_test.go:15" {
		t.Errorf("got\n%s\n%s", briefs(r.Findings), said)
	}
}

// Where mode full shows nothing, it is in the same run as the rest.
func TestOctetOnce(t *testing.T) {
	needOctet(t)
	runs := filepath.Join(t.TempDir(), "runs")
	r, said := runWith(t, "octetuser", []string{"RUNS=" + runs}, "-run=Correct|Counted")
	if text, err := os.ReadFile(runs); string(text) != "." || r.Status != status.Clean {
		t.Errorf("exit status %d, runs %q, %v\n%s", r.Status, text, err, said)
	}
}

// A test that passes, and fails in octet's mode full, is a finding with its place, unless it fails without overwritten
// memory, too.
func TestOctetFails(t *testing.T) {
	needOctet(t)
	r, said := runIn(t, "octetfails", "-v")
	want := `TestFragments: octetfails_test.go:29: OCT009: used with old bytes: slice of 1024 bytes from pool "default"
TestLookup: octetfails_test.go:16: OCT001: used after release: slice of 64 bytes from pool "default", by octetfails_test.go:17`
	if runtime.GOOS == "windows" { // there is no mode guard
		want, _, _ = strings.Cut(want, ", by")
	}
	if got := briefs(r.Findings); got != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, want, said)
	}
	if want := "not confirmed: 1 tests also fail if memory is kept and not overwritten\n"; !strings.Contains(said, want) {
		t.Errorf("it does not say %q:\n%s", want, said)
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
