// Package child starts its own test binary again, which calls os.Exit, and reads what it prints. An init function puts.
package child

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"testing"
)

var pool sync.Pool

func init() { pool.Put(new(int)) }

func TestMain(m *testing.M) {
	if os.Getenv("CHILD") != "" {
		pool.Put(bytes.NewBufferString("child"))
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
