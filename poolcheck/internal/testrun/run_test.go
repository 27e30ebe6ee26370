package testrun

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/poolcheck/internal/console"
	"github.com/octet-go/octet/poolcheck/internal/status"
)

// Without time for more than the first runs there are no reads, and it says so.
func TestBudget(t *testing.T) {
	needTime(t)
	r, said := runIn(t, "toy", "-budget=1ns", "-run=^(TestUpper|TestTwice)$")
	if got := briefs(r.Findings); !strings.HasPrefix(got, "TestTwice: toy.go:34: OCT003: ") || strings.Contains(got, "\n") {
		t.Errorf("got\n%s", got)
	}
	if want := "no time was left to look into 1 test failing with overwritten memory"; !strings.Contains(said, want) {
		t.Errorf("it does not say %q:\n%s", want, said)
	}
}

// With -tolerate it is said that a test fails anyway, and does not change the exit status.
func TestTolerate(t *testing.T) {
	for _, tolerate := range []bool{false, true} {
		var said strings.Builder
		c := &command{Options: &Options{Tolerate: tolerate}, Console: console.New("poolcheck test", &said)}
		c.sayFailing(&goPackage{ImportPath: "m", firstRuns: firstRuns{plain: &outcome{Failed: []string{"TestA"}}}})
		if c.fails == tolerate || said.String() != "poolcheck test: m: TestA failed without poolcheck, too\n" {
			t.Errorf("with -tolerate=%t: %t, %s", tolerate, c.fails, &said)
		}
	}
}

// A test that hangs is left out, and the rest is looked at.
func TestHangs(t *testing.T) {
	needTime(t)
	r, said := runIn(t, "failing", "-timeout=3s")
	if want := "TestFails, TestHangs failed without poolcheck, too"; !strings.Contains(said, want) {
		t.Errorf("it does not say %q:\n%s", want, said)
	}
	if got := briefs(r.Findings); !strings.HasPrefix(got, "TestTwice: failing_test.go:37: OCT003: ") || strings.Contains(got, "\n") {
		t.Errorf("got %s:\n%s", got, said)
	}
}

// Whoever interrupts the command, also without its test binaries, ends these, and the folder is gone. What was found
// until then is reported, and what was done.
func TestInterrupt(t *testing.T) {
	needTime(t)
	temp, pipe := t.TempDir(), filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	cmd, file := poolcheck(t, "failing", []string{"TMPDIR=" + temp, "HANGS=" + pipe}, "test", "-p=2", "-run=^(TestHangs|TestAgain)$", ".", "./twice")
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
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "a *int is put a second time by twice_test.go:14 ") {
		t.Errorf("the result is %s, %v", text, err)
	}
	for _, want := range []string{
		"poolcheck test: interrupted: 1 of 2 packages, ",
		" of Put: 1 finding\n",
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

// A last line that is cut off ended with its process. Another that is not known is said.
func TestReadReport(t *testing.T) {
	for text, want := range map[string]string{"end\t3\t0\nplace\tabc": "", "end\t3\t0\nwhat\n": `unknown line "what"`} {
		dir := t.TempDir()
		write(t, dir, "1.report", text)
		r, err := readReport(dir)
		if r.Puts != 3 || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d calls of Put, %v", text, r.Puts, err)
		}
	}
}

func TestDoesNotBuild(t *testing.T) {
	needTime(t)
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/broken\n\ngo 1.26.0\n")
	write(t, dir, "a_test.go", "package broken\n\nimport \"sync\"\n\nvar p sync.Pool = 1\n")
	if r, said := runIn(t, dir); r.Status != status.Incomplete || !strings.Contains(said, "a_test.go:5") {
		t.Errorf("exit status %d: %s", r.Status, said)
	}
}

func TestNothingToDo(t *testing.T) {
	r, said := runIn(t, "legal", "./nopool")
	if r.Status != status.Clean || !strings.Contains(said, "no tests in ./nopool depend on a sync.Pool") {
		t.Errorf("exit status %d: %s", r.Status, said)
	}
}

func TestFailedNames(t *testing.T) {
	for output, want := range map[string]string{
		"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\n        --- FAIL: TestA/sub/x (0.00s)\n--- FAIL: TestB (0.01s)\nFAIL\n": "TestA/sub,TestB crashed=false",
		"--- FAIL: TestA (0.00s)\npanic: index out of range [recovered]\n\ngoroutine 7 [running]:\n":                                       "TestA crashed=true",
		"panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\ngoroutine 1:\n":                                               "TestA crashed=true",
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
