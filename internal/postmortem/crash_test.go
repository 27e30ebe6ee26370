//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package postmortem

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

type program struct {
	path, dir string
	by        []string // a command that starts others
}

func buildMisuse(flags ...string) (program, error) {
	dir, err := os.MkdirTemp("", "octet-misuse-")
	if err != nil {
		return program{}, err
	}
	p := program{path: filepath.Join(dir, "misuse"), dir: dir}
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

// run returns what the program printed and its exit code. On Linux that is what it had
// printed when it was gone: see runReporter. Elsewhere the output ends when the reporter
// ends, too.
func (p program) run(t *testing.T, action string, env ...string) (stderr string, code int) {
	t.Helper()
	command := append(slices.Clone(p.by), p.path, action)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stderr = &out
	cmd.WaitDelay = time.Minute
	file := filepath.Join(t.TempDir(), "stderr")
	if runtime.GOOS == "linux" { // which does not wait for the last who has the file
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.Stderr = f
	}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		return out.String(), cmd.ProcessState.ExitCode()
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
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
	{"chdir", used, "slice of 4096 bytes", "main.misuse", "byte 0 of 4096"},
	{"many", used, "slice of 4096 bytes", "main.misuse", "byte 0 of 4096"},
	{"panic-on-fault", used, "slice of 4096 bytes", "main.misuse", "byte 0 of 4096"},
	{"interrupted", used, "slice of 4096 bytes", "main.misuse", "byte 0 of 4096"}, // the reporter survives that
}

func TestReports(t *testing.T) {
	p := mustMisuse(t)
	for _, c := range faulting {
		t.Run(c.action, func(t *testing.T) {
			t.Parallel()
			for range testenv.Rounds(5) {
				text, code := p.run(t, c.action)
				checkReport(t, text, code, c.headline, c.subject, c.now, c.byte)
			}
		})
	}
}

// checkReport looks for the report, whole, and for what Go prints around it. A
// report is held against the first goroutine, which comes after it on Linux and
// before it elsewhere.
func checkReport(t *testing.T, text string, code int, headline, subject, now, at string) {
	t.Helper()
	const end = "\nnow:\n\tthe first goroutine that Go prints\n"
	if code != 2 {
		t.Errorf("the exit code is %d, want 2", code)
	}
	crash, rep, ok := strings.Cut(text, headline)
	rep, rest, ok2 := strings.Cut(rep, end)
	if !ok || !ok2 {
		t.Fatalf("no report that begins with %q and ends with %q:\n%s", headline, end, text)
	}
	if !strings.Contains(crash, "[signal SIG") {
		t.Errorf("Go does not name a signal before the report:\n%s", text)
	}
	if runtime.GOOS == "linux" {
		crash = rest
	}
	_, goroutine, _ := strings.Cut(crash, "goroutine ")
	goroutine, _, _ = strings.Cut(goroutine, "\n\n")
	if !strings.Contains(goroutine, now) {
		t.Errorf("the first goroutine lacks %q:\n%s", now, text)
	}
	for _, want := range []string{subject + " from pool \"a pool\", acquired ", "main.acquire\n\t\t", at} {
		if !strings.Contains(rep, want) {
			t.Errorf("%q is missing:\n%s", want, rep)
		}
	}
	if released := strings.Contains(rep, "released:\n\tmain.release\n\t\t"); released != (headline == used) {
		t.Errorf("it is said who released it: %v:\n%s", released, rep)
	}
	if !strings.Contains(rep, "main.go:") || strings.Contains(rep, "\truntime.") {
		t.Errorf("these are not its stacks:\n%s", rep)
	}
}

// TestFirstProcess sees that the report is complete also if the program is the first
// process of a container, so that the kernel ends all others with it.
func TestFirstProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("see runReporter")
	}
	p := mustMisuse(t)
	p.by = []string{"unshare", "--user", "--map-root-user", "--pid", "--fork"}
	if out, err := exec.Command(p.by[0], append(p.by[1:], p.path, "exit")...).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: %v: %v: %s", p.by, err, out)
	}
	for range testenv.Rounds(10) {
		for _, c := range faulting[:5] {
			text, code := p.run(t, c.action)
			checkReport(t, text, code, c.headline, c.subject, c.now, c.byte)
		}
	}
}

// TestRuntimeIsHeld plays the runtime, which prints word by word, and looks where it
// waits when the address is known: at the end of the line that names it. Then all that it
// writes is read: it would take longer if writes failed.
func TestRuntimeIsHeld(t *testing.T) {
	r, w, err := crashPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !holdsWriter(int(r.Fd())) {
		t.Skip("the runtime cannot be held here")
	}
	const held = "[signal SIGSEGV: segmentation violation code=0x1 addr=0x7f0012 pc=0x4c]\n"
	const text = "panic: odd:\n\t[signal  addr=0x1 pc=]\n" + held + "\ngoroutine 1 [running]:\nmain.main()\n\t/main.go:12 +0x5\n"
	words := []string{"panic: ", "odd:\n\t[signal  addr=0x1 pc=]", "\n", "[signal ", "SIGSEGV: segmentation violation", " code=", "0x1",
		" addr=", "0x7f0012", " pc=", "0x4c", "]\n", "\n", "goroutine ", "1", " [", "running", "]:\n", "main.main()\n", "\t/main.go", ":", "12", " +", "0x5", "\n"}
	var mu sync.Mutex
	stderr := ""
	printed := func() string {
		mu.Lock()
		defer mu.Unlock()
		return stderr
	}
	go func() {
		for _, word := range words {
			mu.Lock()
			stderr += word
			mu.Unlock()
			if _, err := w.WriteString(word); err != nil {
				t.Errorf("the runtime writes %q: %v", word, err)
			}
		}
		w.Close()
	}()
	p, ok := readFault(r)
	if p != 0x7f0012 || !ok {
		t.Errorf("the fault is at %#x, %v", p, ok)
	}
	head, _, _ := strings.Cut(text, "\ngoroutine")
	for deadline := time.Now().Add(20 * time.Second); len(printed()) < len(head) && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	for range 20 {
		time.Sleep(time.Millisecond)
		if s := printed(); s != head {
			t.Fatalf("the runtime has printed %q, want %q", s, head)
		}
	}
	letGo(r) // until the runtime ends
	if s := printed(); s != text {
		t.Errorf("the runtime is let go, and has printed %q", s)
	}
}

// TestSilence: other ends of a program are as they would be without this package.
func TestSilence(t *testing.T) {
	p := mustMisuse(t)
	for _, c := range []struct {
		action string
		code   int
		stderr string // its beginning
		env    []string
	}{
		{"exit", 0, "", nil},
		{"code", 7, "", nil},
		{"recovered", 0, "", nil},
		{"panic", 2, "panic: as usual\n\ngoroutine 1 [running]:\n", nil},
		{"nil", 2, "panic: runtime error: invalid memory address or nil pointer dereference\n[signal ", nil},
		{"elsewhere", 2, "unexpected fault address 0x", nil},
		{"code", 0, "", []string{reporterVariable + "=1"}}, // which makes any process of the program a reporter
	} {
		t.Run(c.action, func(t *testing.T) {
			cmd := exec.Command(p.path, c.action)
			cmd.Env = append(os.Environ(), c.env...)
			var out strings.Builder // open until the reporter ends, too
			cmd.Stderr = &out
			cmd.Run()
			text, code := out.String(), cmd.ProcessState.ExitCode()
			if code != c.code || !strings.HasPrefix(text, c.stderr) || strings.Contains(text, "octet:") || (c.stderr == "" && text != "") {
				t.Errorf("the exit code is %d, want %d:\n%s", code, c.code, text)
			}
		})
	}
}

// TestPositionIndependent: the reporter is loaded elsewhere than the program.
func TestPositionIndependent(t *testing.T) {
	testenv.Long(t)
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

// TestReporterEnds: the reporter survives signals to all processes in the foreground
// of a terminal, and ends with the program, even when that is killed.
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
			// It is open for as long as one of the processes lives.
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

// TestReporterClosesFiles: a file that the program inherited, and closes, is not kept
// open by the reporter.
func TestReporterClosesFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only there it can tell which files those are")
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

func TestReadFault(t *testing.T) {
	for _, c := range []struct {
		text string
		p    uint64
		ok   bool
	}{
		{"", 0, false},
		{"panic: addr=0x10\n", 0, false},
		{"fatal error: fault\n[signal SIGSEGV: segmentation violation code=0x2 addr=0x7f0012 pc=0x4c]\n", 0x7f0012, true},
		{"SIGSEGV: segmentation violation\nPC=0x7f12 m=0 sigcode=2 addr=0x7eab\nsignal arrived during cgo execution\n", 0x7eab, true},
		{"[signal SIGSEGV addr=0xffffffffffffffff]\n", 1<<64 - 1, true},
		{"[signal SIGSEGV addr=0xfffffffffffffffff]\n", 0, false},
		{"[signal SIGSEGV addr=0x]\n", 0, false},
		{"[signal SIGSEGV addr=", 0, false},
		{"[signal SIGSEGV]\n", 0, false},
		{"\ngoroutine 1 [running]:\n[signal SIGSEGV addr=0x1]\n", 0, false},
	} {
		if p, ok := readFault(strings.NewReader(c.text)); ok != c.ok || (ok && p != c.p) {
			t.Errorf("%q: got %#x, %v, want %#x, %v", c.text, p, ok, c.p, c.ok)
		}
	}
}
