package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs the program with stdout and stderr on a terminal of 80
// columns and returns what appears on it.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	fd := int(control.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), append(env, becomeOctet+"=1", "TERM=xterm")...)
	cmd.Stdout, cmd.Stderr = tty, tty
	err = cmd.Start()
	tty.Close()
	if err != nil {
		t.Fatal(err)
	}
	shown, _ := io.ReadAll(control) // ends with an error when the program closes the terminal
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	return string(shown)
}

func TestTerminal(t *testing.T) {
	const green, bold = "\x1b[32m", "\x1b[1m"
	shown := onTerminal(t, []string{"NO_COLOR="}, brief()...)
	if !strings.Contains(shown, "measuring") {
		t.Errorf("no progress in %q", shown)
	}
	if !strings.Contains(shown, bold) {
		t.Errorf("no colours in %q", shown)
	}

	shown = onTerminal(t, []string{"NO_COLOR=1"}, brief()...)
	if strings.Contains(shown, bold) || strings.Contains(shown, green) {
		t.Errorf("colours in spite of NO_COLOR in %q", shown)
	}
	for line := range strings.Lines(shown) {
		if _, table, ok := strings.Cut(line, "\r"); ok && table != "\n" {
			continue // progress
		}
		if n := len([]rune(strings.TrimRight(line, "\r\n"))); n > 80 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
