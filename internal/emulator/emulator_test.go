package emulator

import (
	"debug/elf"
	"runtime"
	"testing"
)

// TestRunning looks at what a program of the machine was built for.
func TestRunning(t *testing.T) {
	want := false
	if f, err := elf.Open("/bin/sh"); err == nil {
		defer f.Close()
		want = f.Machine == elf.EM_X86_64 && runtime.GOARCH != "amd64" && runtime.GOARCH != "386"
	}
	if Running() != want {
		t.Errorf("Running() = %v, want %v", Running(), want)
	}
}
