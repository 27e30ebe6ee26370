//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/emulator"
	"github.com/octet-go/octet/internal/testenv"
)

// misuse returns the program in testdata.
var misuse = sync.OnceValues(func() (program, error) { return buildMisuse() })

type program struct{ path, dir string }

func buildMisuse(flags ...string) (program, error) {
	dir, err := os.MkdirTemp("", "octet-misuse-")
	if err != nil {
		return program{}, err
	}
	p := program{filepath.Join(dir, "misuse"), dir}
	build := exec.Command("go", append(append([]string{"build", "-o", p.path}, flags...), "./testdata/misuse")...)
	if text, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return program{}, errors.New("go build: " + string(text))
	}
	return p, nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	if !emulator.Running() {
		if p, err := misuse(); err == nil {
			os.RemoveAll(p.dir)
		}
	}
	os.Exit(code)
}

func mustMisuse(t *testing.T) program {
	t.Helper()
	testenv.NeedsExec(t)
	p, err := misuse()
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(p.path, "exit").CombinedOutput()
	if err != nil || bytes.Contains(text, []byte("reporter:")) {
		t.Fatalf("%v: %s", err, text)
	}
	return p
}

// run returns what the program printed and its exit code. Output ends when the
// reporter ends, too.
func (p program) run(t *testing.T, action string, env ...string) (stderr string, code int) {
	t.Helper()
	cmd := exec.Command(p.path, action)
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stderr = &out
	cmd.WaitDelay = time.Minute
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

const (
	used    = "octet: OCT001: used after release\n"
	overrun = "octet: OVERRUN: accessed beyond its end\n"
)

var faulting = []struct {
	action, headline, subject string
	now                       string // a frame of the stack
	byte                      string
}{
	{"read", used, "slice of 4096 bytes", "main.misuse", "byte 17 of 4096"},
	{"write", used, "slice of 100 bytes", "main.misuse", "byte 17 of 100"},
	{"sampled", used, "slice of 4096 bytes", "main.misuse", "byte 17 of 4096"},
	{"large", used, "slice of 3145728 bytes", "main.misuse", "byte 2097152 of 3145728"},
	{"overrun", overrun, "slice of 4096 bytes", "main.misuse", "byte 4100 of 4096"},
	{"overrun-freed", used, "slice of 4096 bytes", "main.misuse", "byte 4096 of 4096"},
	{"goroutine", used, "slice of 4096 bytes", "created by main.", "byte 0 of 4096"},
	{"IndexByte", used, "slice of 4096 bytes", "main.misuse", "of 4096"},
	{"clear", used, "slice of 4096 bytes", "main.misuse", "of 4096"},
	{"copy", used, "slice of 4096 bytes", "main.misuse", "of 4096"},
	{"chdir", used, "slice of 4096 bytes", "main.misuse", "byte 0 of 4096"},
	{"many", used, "slice of 4096 bytes", "main.misuse", "byte 0 of 4096"},
	{"panic-on-fault", used, "slice of 4096 bytes", "main.misuse", "byte 0 of 4096"},
}

func TestReports(t *testing.T) {
	p := mustMisuse(t)
	for _, c := range faulting {
		t.Run(c.action, func(t *testing.T) {
			text, code := p.run(t, c.action)
			checkReport(t, text, code, c.headline, c.subject, c.now, c.byte)
		})
	}
}

func checkReport(t *testing.T, text string, code int, headline, subject, now, at string) {
	t.Helper()
	if code != 2 {
		t.Errorf("the exit code is %d, want 2", code)
	}
	crash, rep, ok := strings.Cut(text, headline)
	if !ok {
		t.Fatalf("no report that begins with %q:\n%s", headline, text)
	}
	if !strings.Contains(crash, "[signal SIG") || !strings.Contains(crash, "goroutine ") {
		t.Errorf("Go's own crash text is not complete:\n%s", crash)
	}
	parts := strings.Split(rep, ":\n\t")
	for _, want := range []string{subject + " from pool \"a pool\", acquired ", "main.acquire\n\t\t", now, at} {
		if !strings.Contains(rep, want) {
			t.Errorf("%q is missing:\n%s", want, rep)
		}
	}
	if released := strings.Contains(rep, "released:\n\tmain.release\n\t\t"); released != (headline == used) {
		t.Errorf("it is said who released it: %v:\n%s", released, rep)
	}
	if len(parts) < 3 || !strings.Contains(rep, "main.go:") || strings.Contains(rep, "\truntime.") {
		t.Errorf("these are not its stacks:\n%s", rep)
	}
}

// TestSilence: what is not a fault in guarded memory ends as it would without
// this package.
func TestSilence(t *testing.T) {
	p := mustMisuse(t)
	for _, c := range []struct {
		action string
		code   int
		stderr string // its beginning
	}{
		{"exit", 0, ""},
		{"code", 7, ""},
		{"recovered", 0, ""},
		{"panic", 2, "panic: as usual\n\ngoroutine 1 [running]:\n"},
		{"nil", 2, "panic: runtime error: invalid memory address or nil pointer dereference\n[signal "},
		{"elsewhere", 2, "unexpected fault address 0x"},
	} {
		t.Run(c.action, func(t *testing.T) {
			text, code := p.run(t, c.action)
			if code != c.code || !strings.HasPrefix(text, c.stderr) || strings.Contains(text, "octet:") || (c.stderr == "" && text != "") {
				t.Errorf("the exit code is %d, want %d:\n%s", code, c.code, text)
			}
		})
	}
}

// TestPositionIndependent: the reporter's code lies elsewhere than the program's.
func TestPositionIndependent(t *testing.T) {
	mustMisuse(t)
	p, err := buildMisuse("-buildmode=pie")
	if err != nil && strings.Contains(err.Error(), "requires external (cgo) linking") {
		t.Skip("no C linker for such a program: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(p.dir)
	for _, c := range faulting[:4] {
		text, code := p.run(t, c.action)
		checkReport(t, text, code, c.headline, c.subject, c.now, c.byte)
	}
}

// TestNoReporter: Start says why there is none, and the program goes on.
func TestNoReporter(t *testing.T) {
	p := mustMisuse(t)
	// A directory that does not exist stands for one that cannot be written to. On
	// Linux there is another.
	if runtime.GOOS != "linux" {
		text, code := p.run(t, "exit", "TMPDIR=/does/not/exist")
		if code != 0 || !strings.HasPrefix(text, "reporter: ") {
			t.Errorf("the exit code is %d, want 0:\n%s", code, text)
		}
	}
	// No process may be started.
	cmd := exec.Command("/bin/sh", "-c", `ulimit -n 5 && exec "$0" read`, p.path)
	text, _ := cmd.CombinedOutput()
	if !bytes.HasPrefix(text, []byte("reporter: ")) || !bytes.Contains(text, []byte("[signal SIG")) || bytes.Contains(text, []byte("octet:")) {
		t.Errorf("got %s", text)
	}
}

// TestReporterEnds: the reporter outlives signals to everybody in its terminal's
// foreground, but not the program, even when that is killed.
func TestReporterEnds(t *testing.T) {
	p := mustMisuse(t)
	for _, c := range []struct {
		name   string
		signal syscall.Signal
	}{{"killed", syscall.SIGKILL}, {"interrupted", syscall.SIGINT}} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(p.path, "wait")
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd.Stderr = w
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			// The program says when the reporter was started.
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(-cmd.Process.Pid, c.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			// It is open for as long as somebody lives.
			if err := r.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			text := make([]byte, 100)
			if n, err := r.Read(text); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the reporter printed %q, or lives on: %v", text[:n], err)
			}
		})
	}
}

// TestReporterSurvivesInterrupt: a program that handles the signal, and faults
// later, gets its report.
func TestReporterSurvivesInterrupt(t *testing.T) {
	p := mustMisuse(t)
	text, code := p.run(t, "interrupted")
	checkReport(t, text, code, used, "slice of 4096 bytes", "main.misuse", "byte 0 of 4096")
}

// TestReporterClosesFiles: what the program inherited, and closes, the reporter
// does not keep open.
func TestReporterClosesFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("see closeInherited")
	}
	p := mustMisuse(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(p.path, "inherited")
	cmd.ExtraFiles = []*os.File{os.Stdin, w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := r.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("got %v, want the end of the file", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// TestReporterWithoutProgram: the variable makes a program a reporter, come what
// may.
func TestReporterWithoutProgram(t *testing.T) {
	p := mustMisuse(t)
	text, code := p.run(t, "code", reporterVariable+"=1")
	if code != 0 || text != "" {
		t.Errorf("the exit code is %d, want 0:\n%s", code, text)
	}
}

func TestFaultAddress(t *testing.T) {
	for _, c := range []struct {
		text string
		p    uint64
		ok   bool
	}{
		{"", 0, false},
		{"panic: addr=0x10\n", 0, false},
		{"unexpected fault address 0x7f00\nfatal error: fault\n[signal SIGSEGV: segmentation violation code=0x2 addr=0x7f0012 pc=0x4c]\n", 0x7f0012, true},
		{"SIGSEGV: segmentation violation\nPC=0x7f12 m=0 sigcode=2 addr=0x7eab\nsignal arrived during cgo execution\n", 0x7eab, true},
		{"[signal SIGSEGV addr=0xffffffffffffffff", 1<<64 - 1, true},
		{"[signal SIGSEGV addr=0xfffffffffffffffff]", 0, false},
		{"[signal SIGSEGV addr=0x]", 0, false},
		{"[signal SIGSEGV addr=", 0, false},
		{"[signal SIGSEGV]\n", 0, false},
	} {
		if p, ok := faultAddress(c.text); ok != c.ok || (ok && p != c.p) {
			t.Errorf("%q: got %#x, %v, want %#x, %v", c.text, p, ok, c.p, c.ok)
		}
	}
}

func TestFirstGoroutine(t *testing.T) {
	const text = "fatal error: fault\n[signal]\n\n" +
		"goroutine 1 gp=0x1 m=0 mp=0x2 [running]:\n" +
		"runtime.throw({0x1?, 0x2?})\n\t/go/panic.go:1 +0x48 fp=0x1 sp=0x2 pc=0x3\n" +
		"main.(*T[...]).use(0x1, {0x2, 0x3})\n\t/src/a dir/main.go:12 +0x1d fp=0x1 sp=0x2 pc=0x3\n" +
		"main.inlined(...)\n\t/src/main.go:13\n" +
		"...7 frames elided...\n" +
		"created by main.f.func1 in goroutine 2\n\t/src/main.go:14 +0x5\n\n" +
		"goroutine 2 [running]:\nmain.other()\n\t/src/main.go:15\n"
	const want = "\n\tmain.(*T[...]).use\n\t\t/src/a dir/main.go:12" +
		"\n\tmain.inlined\n\t\t/src/main.go:13" +
		"\n\tcreated by main.f.func1 in goroutine 2\n\t\t/src/main.go:14"
	if got := firstGoroutine(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{"", "\ngoroutine ", "\ngoroutine 1 [running]:\n", "\ngoroutine 1 [running]:\n\t\n\t\n"} {
		if got := firstGoroutine(text); strings.Contains(got, "goroutine") {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
