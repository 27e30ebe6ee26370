package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/poolcheck/internal/status"
)

// The test binary stands in for the command: go vet starts it, too.
func TestMain(m *testing.M) {
	if os.Getenv("POOLCHECK_TEST_MAIN") != "" {
		main()
		return
	}
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	command = exe
	os.Exit(m.Run())
}

func raceEnabled() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// command is the path of poolcheck.
var command string

// files is a module of packages with a misuse each and of packages without faults. Few import the standard
// library: for each command line, go vet looks at all that they depend on.
var files = map[string]string{
	"go.mod": `module example.com/m

go 1.26.0

require github.com/fufuok/bytespool v0.0.0

replace github.com/fufuok/bytespool => ./stub
`,
	"stub/go.mod":  "module github.com/fufuok/bytespool\n\ngo 1.26.0\n",
	"stub/stub.go": "package bytespool\n\nfunc Get(n int) []byte { return nil }\nfunc Put(p []byte) {}\nfunc Release(p []byte) {}\n",
	"bad/bad.go": `package bad

import "github.com/fufuok/bytespool"

func encode(s string) []byte {
	buf := bytespool.Get(len(s))
	defer bytespool.Put(buf)
	copy(buf, s)
	return buf
}
`,
	"bad/bad_test.go": `package bad

import "github.com/fufuok/bytespool"

func stale() {
	buf := bytespool.Get(8)
	bytespool.Put(buf)
	buf[0] = 1
}

// A test may leave memory to the collector.
func forgets(n int) byte {
	b := bytespool.Get(n)
	return b[0]
}
`,
	"above/above.go":   "package above\n\nimport _ \"example.com/m/bad\"\n",
	"good/good.go":     "package good\n\nfunc Add(a, b int) int { return a + b }\n",
	"broken/broken.go": "package broken\n\nfunc f() int { return \"\" }\n",
	"own/own.go": `package own

func take() []byte { return nil }
func give([]byte)  {}

func use() byte {
	b := take()
	give(b)
	return b[0]
}
`,
	"pools.txt":   "acquire example.com/m/own.take # ours\nrelease example.com/m/own.give 0\n",
	"wrong.txt":   "takes example.com/m/own.take\n",
	"typo.txt":    "# ours\nacquire example.com/m/own.tke\n",
	"foreign.txt": "acquire example.com/other.Get\n",
	"leak/leak.go": `package leak

import "github.com/fufuok/bytespool"

func use(n int) byte {
    if n > 0 {
        b := bytespool.Get(n) // not indented as gofmt does
        b[0] = 1
        return b[0]
    }
    return  0
}
`,
	"deep/deep.go": `package deep

import "github.com/fufuok/bytespool"

type block []byte

func take() block { return bytespool.Get(64) }

func (b block) free() { bytespool.Put(b) }

func first(b block) byte { return b[0] }

func use() byte {
	b := take()
	b.free()
	return first(b)
}
`,
	"standard/standard.go": `package standard

import "sync"

var pool = sync.Pool{New: func() any { return make([]byte, 64) }}

func encode(s string) []byte {
	buf := pool.Get().([]byte)
	defer pool.Put(buf)
	return append(buf[:0], s...)
}
`,
	"untested/untested.go":      "package untested\n",
	"untested/untested_test.go": "package untested\n\nimport _ \"example.com/no/such/module\"\n",
}

// module writes the files to a folder of the test's own.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// start runs a command in dir, in which the test binary is poolcheck. It skips t under the
// race detector, with which that would take minutes to read the standard library.
func start(t *testing.T, dir, name string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	if raceEnabled() {
		t.Skip("go test without -race starts the command, and the tests of package poolcheck have the detector")
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "POOLCHECK_TEST_MAIN=1", "GOWORK=off", "GOFLAGS=-mod=mod")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestExitStatus(t *testing.T) {
	dir := module(t)
	for _, test := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string // parts of the output
	}{
		{"clean", []string{"./good"}, status.Clean, "", "poolcheck: 1 package: nothing found\n"},
		{"broken", []string{"./broken"}, status.Incomplete, "", "broken.go:3:"},
		{"broken beside others", []string{"./broken", "./good"}, status.Incomplete, "", "poolcheck: 2 packages: nothing found, 1 not checked\n"},
		{"findings beside broken", []string{"./bad", "./broken"}, status.Findings, "OCT002", "poolcheck: 2 packages: 2 findings, 1 not checked\n"},
		{"no package", []string{"./none"}, status.Incomplete, "", "none"},
		{"no argument", nil, status.Usage, "", "no packages named"},
		{"unknown flag", []string{"-frobnicate", "./good"}, status.Usage, "", "-frobnicate"},
		{"help flag", []string{"-help"}, status.Clean, "Exit status", ""},
		{"help", []string{"help"}, status.Clean, "OCT003  double release", ""},
		{"help with a code", []string{"help", "oct003"}, status.Clean, "# OCT003: double release", ""},
		{"help with an unknown code", []string{"help", "OCT042"}, status.Usage, "", "OCT001 to OCT011"},
		{"version", []string{"-version"}, status.Clean, "poolcheck ", ""},
		{"unknown code", []string{"-codes=OCT042", "./bad"}, status.Usage, "", "OCT042"},
		{"fix without tests", []string{"-test=false", "-diff", "./bad"}, status.Usage, "", "-test=false"},
		{"no table row", []string{"-table=typo.txt", "./own"}, status.Incomplete, "", "typo.txt:2: there is no function example.com/m/own.tke"},
		{"foreign table", []string{"-table=foreign.txt", "./own"}, status.Clean, "", "foreign.txt:1: package example.com/other"},
		{"tests that do not build", []string{"./untested"}, status.Incomplete, "", "example.com/no/such/module"},
		{"without tests", []string{"-test=false", "./untested"}, status.Clean, "", ""},
		{"wrong table", []string{"-table=wrong.txt", "./own"}, status.Incomplete, "", "wrong.txt: line 1"},
		{"no table", []string{"-table=missing.txt", "./own"}, status.Incomplete, "", "missing.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, code := start(t, dir, command, test.args...)
			if code != test.status {
				t.Errorf("status %d, want %d\n%s%s", code, test.status, stdout, stderr)
			}
			if !strings.Contains(stdout, test.stdout) || test.status == status.Clean && test.stdout == "" && stdout != "" {
				t.Errorf("printed %q, want %q", stdout, test.stdout)
			}
			if !strings.Contains(stderr, test.stderr) {
				t.Errorf("complained %q, want %q", stderr, test.stderr)
			}
		})
	}
}

// Tests are checked, too; a path that crosses functions names them.
func TestText(t *testing.T) {
	const want = `bad/bad.go:9:2: OCT002: buf outlives its release (acquired at line 6, released at line 7)
	bad/bad.go:6:22: buf is acquired here
	bad/bad.go:7:2: released here
	bad/bad.go:9:2: returned here
	https://github.com/octet-go/octet/tree/main/poolcheck/docs/OCT002.md
bad/bad_test.go:8:5: OCT001: buf is used after its release (acquired at line 6, released at line 7)
	bad/bad_test.go:6:22: buf is acquired here
	bad/bad_test.go:7:15: released here
	bad/bad_test.go:8:5: used here
	https://github.com/octet-go/octet/tree/main/poolcheck/docs/OCT001.md
deep/deep.go:16:14: OCT001: b is used after its release (acquired at line 14, released at line 15)
	deep/deep.go:14:11: take is called, which acquires it
	deep/deep.go:7:41: b is acquired here
	deep/deep.go:15:8: free is called, which releases it
	deep/deep.go:9:38: released here
	deep/deep.go:16:14: first is called, which uses it
	deep/deep.go:11:36: used here
	https://github.com/octet-go/octet/tree/main/poolcheck/docs/OCT001.md
`
	stdout, stderr, code := start(t, module(t), command, "./bad", "./deep", "./good")
	if filepath.ToSlash(stdout) != want || code != status.Findings {
		t.Errorf("status %d\n%s%s\nwant\n%s", code, stdout, stderr, want)
	}
}

func TestCodes(t *testing.T) {
	stdout, stderr, code := start(t, module(t), command, "-codes=OCT003,OCT001", "./bad")
	if code != status.Findings || strings.Count(stdout, ": OCT") != 1 || !strings.Contains(stdout, ": OCT001: ") {
		t.Errorf("status %d\n%s%s", code, stdout, stderr)
	}
}

// The go command keeps results; a table that has changed must not meet them.
func TestTable(t *testing.T) {
	dir := module(t)
	stdout, stderr, code := start(t, dir, command, "-table=pools.txt", "./own")
	if code != status.Findings || !strings.Contains(stdout, "OCT001: b is used after its release") {
		t.Fatalf("status %d\n%s%s", code, stdout, stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "pools.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := start(t, dir, command, "-table=pools.txt", "./own"); code != status.Clean {
		t.Errorf("status %d after the table was emptied\n%s%s", code, stdout, stderr)
	}
}

func TestJSON(t *testing.T) {
	stdout, stderr, code := start(t, module(t), command, "-json", "./bad", "./good")
	var got map[string]map[string][]finding
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	list := got["example.com/m/bad"]["poolcheck"]
	if code != status.Findings || len(got) != 1 || len(list) != 2 {
		t.Fatalf("status %d, %s", code, stdout)
	}
	for _, f := range list {
		if !strings.HasPrefix(f.Category, "OCT") || !strings.HasSuffix(f.URL, f.Category+".md") || len(f.Related) == 0 {
			t.Errorf("incomplete: %+v", f)
		}
	}
}

func TestVettool(t *testing.T) {
	_, stderr, code := start(t, module(t), "go", "vet", "-vettool="+command, "./standard", "./good")
	if code == 0 || !strings.Contains(stderr, "OCT002: buf") {
		t.Errorf("status %d\n%s", code, stderr)
	}
}

// A package that was imported by what an earlier run checked is checked all the same. Its tests are left out.
func TestCheckedAfterItsImporter(t *testing.T) {
	dir := module(t)
	for _, test := range []struct {
		pattern  string
		status   int
		findings int
	}{{"./above", status.Clean, 0}, {"./bad", status.Findings, 1}} {
		stdout, stderr, code := start(t, dir, command, "-test=false", test.pattern)
		if code != test.status || strings.Count(stdout, ": OCT") != test.findings || strings.Contains(stdout, "bad_test.go") {
			t.Errorf("%s: status %d, want %d\n%s%s", test.pattern, code, test.status, stdout, stderr)
		}
	}
}

// A fix changes nothing but the format, as go fix does.
func TestFix(t *testing.T) {
	line := "        b := bytespool.Get(n) // not indented as gofmt does\n"
	want, err := format.Source([]byte(strings.Replace(files["leak/leak.go"], line, line+"        defer bytespool.Release(b)\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
	}{
		{"alone", []string{command, "-codes=OCT004", "-fix", "./leak"}},
		{"fixtool", []string{"go", "fix", "-fixtool=" + command, "./leak"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := module(t)
			stdout, stderr, code := start(t, dir, test.args[0], test.args[1:]...)
			text, err := os.ReadFile(filepath.Join(dir, "leak/leak.go"))
			if err != nil || code != status.Clean || string(text) != string(want) {
				t.Errorf("status %d, %v\n%s%s\n%s", code, err, stdout, stderr, text)
			}
		})
	}
}

func TestDiff(t *testing.T) {
	dir := module(t)
	stdout, stderr, code := start(t, dir, command, "-diff", "./leak")
	if code != status.Findings || !strings.Contains(stdout, "+\t\tdefer bytespool.Release(b)") {
		t.Errorf("status %d\n%s%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "leak/leak.go"))
	if err != nil || string(text) != files["leak/leak.go"] {
		t.Errorf("-diff has changed the file: %v\n%s", err, text)
	}
}

// An interrupt does not lose what was found, and says what was not looked at.
func TestInterrupted(t *testing.T) {
	r := &result{packages: 3, checked: 2, findings: findings{"p": {{Message: "OCT001: b"}}}}
	if got, want := r.String(), "interrupted: 2 of 3 packages checked: 1 finding"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if r.complete() {
		t.Error("two of three packages are all")
	}
}
