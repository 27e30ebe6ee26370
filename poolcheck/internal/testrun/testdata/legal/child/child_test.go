// Package child starts its own test binary again, and reads what it prints.
package child

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("CHILD") != "" {
		var p sync.Pool
		p.Put(bytes.NewBufferString("child"))
		os.Stderr.WriteString("hello")
		os.Exit(3)
	}
	m.Run()
}

func TestChild(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "CHILD=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 3 || stderr.String() != "hello" {
		t.Errorf("exit status %d, stderr %q", code, stderr.String())
	}
}
