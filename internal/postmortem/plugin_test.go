//go:build (linux || darwin || freebsd) && cgo && !race && !msan && !asan && !octet_purego

package postmortem

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestPlugin: a program that loads octet as a plugin is not started a second time. It
// would not be the reporter, because it does not link this package.
func TestPlugin(t *testing.T) {
	testenv.NeedsExec(t)
	testenv.Long(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		testenv.Missing(t, "gcc")
	}
	dir := t.TempDir()
	host, plugin := filepath.Join(dir, "host"), filepath.Join(dir, "plugin.so")
	for _, args := range [][]string{{"-o", host, "./testdata/host"}, {"-buildmode=plugin", "-o", plugin, "./testdata/plugin"}} {
		if text, err := exec.Command("go", append([]string{"build"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, text)
		}
	}
	for debug, mode := range map[string]string{"check=guard": "guard", "check=sample,sample=1,faults=on": "sample"} {
		cmd := exec.Command(host, plugin)
		cmd.Env = append(os.Environ(), "OCTETDEBUG="+debug)
		var errors strings.Builder // open until the last process ends
		cmd.Stderr = &errors
		text, err := cmd.Output()
		if got := strings.TrimSpace(string(text)); err != nil || got != mode {
			t.Errorf("%s: the mode is %q, want %q (%v)", debug, got, mode, err)
		}
		if n := strings.Count(errors.String(), "the host runs\n"); n != 1 {
			t.Errorf("%s: the host was started %d times", debug, n)
		}
		if want := "a fault ends without a report: octet is part of a plugin"; !strings.Contains(errors.String(), want) {
			t.Errorf("%s: got %q on stderr, want %q", debug, errors.String(), want)
		}
	}
}
