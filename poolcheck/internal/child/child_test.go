//go:build unix

package child

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the context ends takes along what it has started, also if that does not listen.
func TestRunEndsTheGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := Command(ctx, "sh", "-c", "sh -c 'trap : INT; echo $$; while :; do sleep 1; done' & wait")
	cmd.Stdout = w
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, cmd)
		w.Close()
	}()
	lines := bufio.NewReader(r)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the command has ended as if nothing had happened")
	}
	// The pipe ends when nobody has it any more.
	if rest, err := lines.ReadString(0); err == nil || rest != "" {
		t.Errorf("%q, %v", rest, err)
	}
	// It has closed its files, and ends a moment later.
	for deadline := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil && !zombie(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d runs on", pid)
		}
	}
}

// zombie reports whether a process has ended and nobody has asked for it yet.
func zombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}
