package testrun

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
		"TestCarried: toy.go:63: OCT001: a *[]uint8 is written after it was put here: its memory changed",
		"TestIndex: crash_test.go:14: OCT001: a *[64]uint8 is read after it was put here, by crash_test.go:16",
		"TestLater: crash_test.go:22: OCT001: a *[64]uint8 is read after it was put here, by crash_test.go:23",
		"TestLine: toy.go:51: OCT001: a *toy.conn is read after it was put here, by toy_test.go:28",
		"TestStale: toy_test.go:17: OCT001: a *toy.conn is written after it was put here: its closed changed",
		"TestTwice: toy.go:34: OCT003: a *toy.conn is put a second time by toy.go:36 while it is still in a pool from here",
		"TestUpper,TestUpperLater,TestSuite/upper_case: toy.go:17: OCT001: a *bytes.Buffer is read after it was put here, by toy_test.go:6",
	}
	if got := briefs(r.Findings); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, strings.Join(want, "\n"), said)
	}
	if r.Status != status.Findings {
		t.Errorf("exit status %d", r.Status)
	}
	for _, f := range r.Findings {
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
		if len(f.Fault) == 0 {
			t.Errorf("%s: the reader is not known", brief(f))
		}
	}
	slices.Sort(got)
	want := "[TestContained:23 OCT001 TestPeeked:59 OCT001 TestRenamed:47 OCT001 TestSliced:34 OCT001]"
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
		"building the tests of 6 packages",
		"poolcheck test: example.com/legal/odd: ",
		" of Put: nothing found\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "not confirmed"); n != 2 {
		t.Errorf("%d lines of what is not confirmed:\n%s", n, said)
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

// A misuse of octet's pools is reported. A test that passes, and fails in octet's mode full, is a finding
// with its place, unless it fails without overwritten memory, too.
func TestOctet(t *testing.T) {
	needTime(t)
	if _, err := os.Stat("../../../bytespool"); err != nil {
		t.Skip("the root module is not beside this one")
	}
	r, said := runIn(t, "octetuser", "-v")
	want := `TestFragments: octetuser_test.go:28: OCT009: used with old bytes: slice of 1024 bytes from pool "default"
TestLookup: octetuser_test.go:15: OCT001: used after release: slice of 64 bytes from pool "default"
TestRelease: octetuser_test.go:69: OCT003: released twice: slice of 8192 bytes from pool "default"`
	if got := briefs(r.Findings); got != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, want, said)
	}
	for _, f := range r.Findings {
		if f.Code == "OCT003" && headline(f.Fault, nil).at() != "octetuser_test.go:70" {
			t.Errorf("the second release is at %v", f.Fault)
		}
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

// The map in the comment of a package has its files.
func TestMap(t *testing.T) {
	for _, doc := range []string{"testrun.go", "_std/poolwatch/watch.go"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Dir(doc) + "/*.go")
		for _, name := range files {
			if name = filepath.Base(name); !strings.HasSuffix(name, "_test.go") && !strings.Contains(string(text), "//\t"+name+" ") {
				t.Errorf("the map in %s lacks %s", doc, name)
			}
		}
	}
}
