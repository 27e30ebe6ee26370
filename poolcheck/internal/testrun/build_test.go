package testrun

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A program that poolcheck build has made does what it does otherwise, and says what is wrong.
func TestBuild(t *testing.T) {
	needTime(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	build, _ := poolcheck(t, "built", nil, "build", "-o", program, ".")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
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
		stdout, stderr, code := run(test.what, "every=1")
		stderr, counted := cutTally(stderr)
		if !counted {
			t.Errorf("%s: it does not say how many calls of Put were watched", test.what)
		}
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
	file := filepath.Join(dir, "report")
	_, stderr, _ := run("double", "every=1,report="+file)
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "poolcheck: OCT003: ") || !tallyLine.Match(text) || stderr != "" {
		t.Errorf("%v\n%s\n%s", err, text, stderr)
	}
	// The first calls of a place are watched, whatever is chosen later.
	if _, stderr, _ := run("double", "every=1000000"); !strings.Contains(stderr, "OCT003") {
		t.Errorf("the first Put of a place is not watched:\n%s", stderr)
	}
	if _, stderr, _ := run("early", "every=1000000"); !strings.Contains(stderr, "poolcheck: 32 of 10000 calls of Put were watched\n") {
		t.Errorf("of the calls of one place, with every=1000000:\n%s", stderr)
	}
}

// tallyLine is what a program says of its calls of Put at its end.
var tallyLine = regexp.MustCompile(`(?m)^poolcheck: \d+ of \d+ calls of Put were watched\n`)

// cutTally removes that line.
func cutTally(stderr string) (rest string, found bool) {
	rest = tallyLine.ReplaceAllString(stderr, "")
	return rest, rest != stderr
}
