package checked_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// build builds a program of testdata without debugging information.
func build(t *testing.T, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if text, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "./testdata/"+name).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return path
}

// TestLinked sees that a program which imports bytespool alone does not link what only
// importers of package checked have a use for.
func TestLinked(t *testing.T) {
	testenv.NeedsExec(t)
	deps, err := exec.Command("go", "list", "-deps", "./testdata/plain").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"encoding/json", "log/slog", "log", "os/signal", "os/exec", "compress/gzip", "text/tabwriter", "runtime/pprof", "net",
		"github.com/octet-go/octet/internal/guard", "github.com/octet-go/octet/internal/postmortem", "github.com/octet-go/octet/internal/profile"} {
		if slices.Contains(strings.Fields(string(deps)), not) {
			t.Errorf("%s is linked", not)
		}
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return
	}
	var size [2]int64
	for i, name := range []string{"floor", "plain"} {
		info, err := os.Stat(build(t, name))
		if err != nil {
			t.Fatal(err)
		}
		size[i] = info.Size()
	}
	n := size[1] - size[0]
	t.Logf("pools add %d KiB to a program", n>>10)
	if n > 400<<10 {
		t.Errorf("pools add %d bytes to a program", n)
	}
}

// TestWithoutChecked sees what OCTETDEBUG does in a program that does not import this
// package.
func TestWithoutChecked(t *testing.T) {
	testenv.NeedsExec(t)
	plain := build(t, "plain")
	const report = "octet: OCT003: released twice\n"
	const noGuard = "octet: no guarded memory: the program does not import package checked"
	for debug, want := range map[string]struct {
		code   int
		stderr []string
	}{
		"":                                {0, nil},
		"check=off":                       {0, nil},
		"check=ful":                       {0, []string{"octet: OCTETDEBUG: check=ful is unknown: use off, sample, full or guard; checks are off\n"}},
		"check=full,wrong=1":              {0, []string{"octet: OCTETDEBUG: wrong is unknown: use check, sample, faults, foreign, live, action or fill; checks are off\n"}},
		"check=sample,sample=1":           {0, []string{report, "slice of 4096 bytes", "main.main\n"}},
		"check=full":                      {2, []string{"panic: octet: OCT003: released twice\n"}},
		"check=full,action=log":           {0, []string{report}},
		"check=guard":                     {2, []string{noGuard + "; mode full instead\n", "panic: octet: OCT003"}},
		"check=sample,sample=1,faults=on": {0, []string{noGuard + "\n", report}},
	} {
		cmd := exec.Command(plain)
		cmd.Env = append(os.Environ(), "OCTETDEBUG="+debug)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != want.code || want.stderr == nil && stderr.Len() > 0 {
			t.Errorf("%q: exit status %d, want %d; stderr\n%s", debug, code, want.code, &stderr)
		}
		for _, want := range want.stderr {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%q: %q is not in\n%s", debug, want, &stderr)
			}
		}
	}
}
