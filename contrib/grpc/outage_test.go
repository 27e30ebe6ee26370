package grpc

import (
	"errors"
	"fmt"
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

// run starts a program and returns what it had written when it ended, and its exit
// code. The output is a file: nothing waits for other processes that write to it.
func run(t *testing.T, debug string, command ...string) (text string, code int) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "OCTETDEBUG="+debug)
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
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
	t.Run("alone", func(t *testing.T) { repeat(t, path) })
	t.Run("first process", func(t *testing.T) {
		unshare, err := firstProcess()
		if err != nil {
			t.Skip("this system does not let unshare make a process the first of a container: ", err)
		}
		repeat(t, append(unshare, path)...)
	})
}

// inSilence wants the mistake to corrupt most answers in silence, and the race detector to say
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
	if n, _ := strconv.Atoi(m[1]); n < 800 {
		t.Errorf("%d answers were wrong, want most", n)
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

// repeat wants the whole report to be there when the program is gone, each time; also where
// the program is the first process of a container, so that the kernel ends all others with it.
func repeat(t *testing.T, command ...string) {
	runs := 5
	if os.Getenv("OCTET_CI") != "" && !testing.Short() {
		runs = 25
	}
	for i := range runs {
		text, code := run(t, "check=guard", command...)
		if checkReport(t, text, code); t.Failed() {
			t.Fatalf("in run %d of %d", i+1, runs)
		}
	}
}

// firstProcess returns the command that makes a program the first process of a
// container.
func firstProcess() (command []string, err error) {
	for _, command := range [][]string{
		{"unshare", "--pid", "--fork"},
		{"unshare", "--user", "--map-root-user", "--pid", "--fork"},
	} {
		var text []byte
		text, err = exec.Command(command[0], append(command[1:], "sh", "-c", "echo $$")...).CombinedOutput()
		switch {
		case err != nil:
			err = fmt.Errorf("%w: %s", err, text)
		case strings.TrimSpace(string(text)) != "1":
			err = errors.New("the process is not the first")
		default:
			return command, nil
		}
	}
	return nil, err
}
