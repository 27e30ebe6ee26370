package grpc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// outage builds the program in internal/outage, with the race detector if t has it.
func outage(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "outage")
	args := []string{"build", "-o", path}
	if raceDetector {
		args = append(args, "-race")
	}
	if text, err := exec.Command("go", append(args, "./internal/outage")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return path
}

// run starts a program and returns what it writes, and its exit code.
func run(t *testing.T, debug, program string) (text string, code int) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "OCTETDEBUG="+debug)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestOutage runs a program that makes a mistake, in several modes.
func TestOutage(t *testing.T) {
	path := outage(t)
	t.Run("in silence", func(t *testing.T) { inSilence(t, path) })
	if raceDetector || runtime.GOOS != "linux" {
		return // guarded memory has no report, or a late one, in this build or on this system
	}
	for _, debug := range []string{"check=guard", "check=sample,faults=on,sample=16"} {
		t.Run(debug, func(t *testing.T) {
			text, code := run(t, debug, path)
			checkReport(t, text, code)
			if !strings.Contains(text, "\nstrings.ToUpper(") {
				t.Errorf("the first goroutine is not the one that reads:\n%s", text)
			}
		})
	}
}

// inSilence wants the mistake to corrupt many answers in silence, and the race detector to say
// who released what is read.
func inSilence(t *testing.T, path string) {
	text, code := run(t, "check=off", path)
	if raceDetector {
		const race = 66
		if code != race || !strings.Contains(text, "octet/bytespool.(*PointerPool).Put()\n") {
			t.Errorf("exit code %d, and the race detector does not show the release:\n%s", code, text)
		}
		return
	}
	m := regexp.MustCompile(`^(\d+) of 1600 answers were wrong\n$`).FindStringSubmatch(text)
	if m == nil || code != 0 {
		t.Fatalf("exit code %d, and it prints:\n%s", code, text)
	}
	if n, _ := strconv.Atoi(m[1]); n < 160 {
		t.Errorf("%d answers were wrong, want many", n)
	}
}

// checkReport fails t unless text has the whole report of who acquired and who released the
// buffer that a string shows. Two hold the buffer, the goroutine that has read it from the
// connection and the codec; whoever frees it last has released it. Mostly that is the codec.
func checkReport(t *testing.T, text string, code int) {
	t.Helper()
	_, report, found := strings.Cut(text, "\noctet: OCT001: used after release\n")
	report, _, whole := strings.Cut(report, "\nnow:\n\tthe first goroutine that Go prints\n")
	if !found || !whole || code != 2 {
		t.Fatalf("exit code %d, and the report is not whole:\n%s", code, text)
	}
	for _, part := range []string{
		`slice of 8192 bytes from pool "grpc", acquired `,
		"acquired:\n\tgithub.com/octet-go/octet/bytespool.(*PointerPool).Get\n",
		"released:\n\tgithub.com/octet-go/octet/bytespool.(*PointerPool).Put\n",
		"at:\n\taddress 0x",
	} {
		if !strings.Contains(report, part) {
			t.Errorf("the report lacks %q:\n%s", part, report)
		}
	}
	_, released, _ := strings.Cut(report, "\nreleased:\n")
	if !strings.Contains(released, "main.normalize\n") && !strings.Contains(released, "(*http2Server).HandleStreams\n") {
		t.Errorf("the release is neither the codec's nor the connection's:\n%s", report)
	}
}
