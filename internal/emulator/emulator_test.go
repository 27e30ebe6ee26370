package emulator

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestRunning compares with what a program of the machine itself says.
func TestRunning(t *testing.T) {
	want := false
	if out, err := exec.Command("uname", "-m").Output(); err == nil && strings.TrimSpace(string(out)) == "x86_64" {
		want = runtime.GOARCH != "amd64" && runtime.GOARCH != "386"
	}
	if Running() != want {
		t.Errorf("Running() = %v, want %v", Running(), want)
	}
}
