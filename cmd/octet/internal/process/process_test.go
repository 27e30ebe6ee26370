package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A task says what a child does before it answers.
type task struct {
	Do   string
	Text string
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == Subcommand {
		if err := Serve(work); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // under -race each child would sleep for a second before it exits
	os.Exit(m.Run())
}

// memory is global so that it stays allocated.
var memory []byte

// work does the task, in the child.
func work(t task) (string, error) {
	switch t.Do {
	case "print":
		fmt.Println("this is no answer")
		fmt.Fprintln(os.Stdout, "nor is this")
	case "getenv":
		return os.Getenv(t.Text), nil
	case "fail":
		return "", errors.New(t.Text)
	case "panic":
		panic(t.Text)
	case "exit":
		os.Exit(7)
	case "sleep":
		time.Sleep(time.Minute)
	case "burn":
		// On a loaded machine a process has little of the time that passes.
		before, began := Self().CPU, time.Now()
		for time.Since(began) < 100*time.Millisecond || runtime.GOOS != "windows" && Self().CPU-before < 100*time.Millisecond {
		}
		return used(), nil
	case "idle":
		return used(), nil
	case "occupy":
		memory = make([]byte, 64<<20)
		for i := range memory {
			memory[i] = 1
		}
		return used(), nil
	case "orphan":
		// The child starts a child of its own and exits without waiting
		// for it.
		self, _ := os.Executable()
		cmd := exec.Command(self, Subcommand)
		in, _ := cmd.StdinPipe()
		if err := cmd.Start(); err != nil {
			return "", err
		}
		fmt.Fprintln(in, `{"Do": "sleep"}`)
		return fmt.Sprint(cmd.Process.Pid), nil
	}
	return t.Text, nil
}

// used returns what this process has used, in the words of a child.
func used() string {
	u := Self()
	return fmt.Sprintln(u.CPU.Nanoseconds(), u.MaxRSS)
}

func run(t *testing.T, do task, env ...string) (string, time.Duration, error) {
	t.Helper()
	return Run[task, string](t.Context(), env, do)
}

func TestAnswer(t *testing.T) {
	for _, do := range []task{{"", "a \"quoted\" text\nof two lines"}, {"print", "after printing"}, {"", ""}} {
		if got, _, err := run(t, do); got != do.Text || err != nil {
			t.Errorf("%+v: %q, %v", do, got, err)
		}
	}
}

// A child has the environment of its parent and what is added to it.
func TestEnv(t *testing.T) {
	t.Setenv("OCTET_TEST_A", "of the parent")
	t.Setenv("OCTET_TEST_B", "of the parent")
	for name, want := range map[string]string{"OCTET_TEST_A": "of the parent", "OCTET_TEST_B": "of the child"} {
		if got, _, err := run(t, task{"getenv", name}, "OCTET_TEST_B=of the child"); got != want || err != nil {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		do    task
		wants []string
	}{
		{task{"fail", "byte 7 differs"}, []string{"byte 7 differs"}},
		{task{"panic", "out of range"}, []string{"exited without an answer", "exit status 2", "panic: out of range"}},
		{task{"exit", ""}, []string{"without an answer", "exit status 7"}},
	} {
		got, _, err := run(t, tt.do)
		if err == nil || got != "" {
			t.Errorf("%+v: %q, %v", tt.do, got, err)
			continue
		}
		for _, want := range tt.wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v; should speak of %q", tt.do, err, want)
			}
		}
	}
}

// If the context ends, the child is killed, and the error is that of the
// context.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err := Run[task, string](ctx, nil, task{"sleep", ""})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}

// A child exits if its parent dies.
func TestOrphan(t *testing.T) {
	pid, _, err := run(t, task{"orphan", ""})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 { // ten seconds
		if out, err := exec.Command("ps", "-p", pid, "-o", "stat=").CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
			t.Skip("there is no ps")
		} else if s := strings.TrimSpace(string(out)); s == "" || strings.HasPrefix(s, "Z") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("process %s lives on", pid)
}

// What a child has used is its own, not what its parent has, however large that is.
func TestUsage(t *testing.T) {
	memory = make([]byte, 256<<20)
	for i := range memory {
		memory[i] = 1
	}
	usage := func(do string) (u Usage, cpu time.Duration) {
		text, cpu, err := run(t, task{do, ""})
		if err != nil {
			t.Fatal(err)
		}
		var ns int64
		if _, err := fmt.Sscan(text, &ns, &u.MaxRSS); err != nil {
			t.Fatal(err)
		}
		u.CPU = time.Duration(ns)
		return u, cpu
	}
	idle, idleCPU := usage("idle")
	burnt, burntCPU := usage("burn")
	if burntCPU <= idleCPU {
		t.Errorf("%v of processor time while something was done, %v while nothing was", burntCPU, idleCPU)
	}
	if runtime.GOOS == "windows" {
		return // the child does not know
	}
	if burnt.CPU <= idle.CPU || burnt.CPU > burntCPU {
		t.Errorf("%v of processor time as the child counts it, %v as its parent does, %v while nothing was done", burnt.CPU, burntCPU, idle.CPU)
	}
	large, _ := usage("occupy")
	if idle.MaxRSS < 1<<20 || idle.MaxRSS > 60<<20 || large.MaxRSS < 64<<20 || large.MaxRSS > 1<<30 {
		t.Errorf("%d bytes were resident, and %d with 64 MiB in use", idle.MaxRSS, large.MaxRSS)
	}
}

// The subcommand explains itself if a user starts it by hand.
func TestServeByHand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, Subcommand)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "internal to octet") {
		t.Errorf("%v, %q", err, out)
	}
}

func TestTail(t *testing.T) {
	var to tail
	for i := range 10_000 {
		fmt.Fprintf(&to, "line %d\n", i)
	}
	if s := to.last(); len(s) > tailLen+2 || !strings.HasSuffix(s, "line 9999") || cap(to.b) > 8*tailLen {
		t.Errorf("%d bytes, %q", len(s), s)
	}
}
