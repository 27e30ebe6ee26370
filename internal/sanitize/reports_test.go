//go:build !race && !asan

package sanitize_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A tool is what a program can be built with.
type tool struct {
	flag   string
	procs  []string // values of GOMAXPROCS to try
	report []string // what each of its reports contains
	misses []string // the misuses that it does not report
}

// unseen is what no tool reports: memory accessed by assembly, and through the
// index of a string.
var unseen = []string{"clear", "bytes.IndexByte", "bytes.Compare", "string alias"}

var tools = []tool{
	{
		flag:  "-race",
		procs: []string{"1", "4"},
		// The release is in the stack that created the goroutine of releasedMemory.
		report: []string{"DATA RACE", "sanitize.releasedMemory()", "created at:\n  github.com/octet-go/octet/internal/sanitize.Released()",
			"sanitize_test.release()"},
		misses: unseen,
	},
	{
		flag:  "-asan",
		procs: []string{"4"},
		// It tells the innermost function alone, which may be the runtime's.
		report: []string{"AddressSanitizer: use-after-poison on address", " of size "},
		misses: append([]string{"released twice", "after reuse elsewhere"}, unseen...),
	},
}

// TestReports builds this package's tests with -race and with -asan, sees that
// TestRight passes, and that misuses are reported.
func TestReports(t *testing.T) {
	host := goEnv(t)
	if host["GOHOSTOS"] != runtime.GOOS || host["GOHOSTARCH"] != runtime.GOARCH || host["CGO_ENABLED"] != "1" {
		t.Skipf("%s/%s cannot be built with -race on this %s/%s", runtime.GOOS, runtime.GOARCH, host["GOHOSTOS"], host["GOHOSTARCH"])
	}
	for _, tool := range tools {
		t.Run(tool.flag[1:], func(t *testing.T) {
			if tool.flag == "-asan" && runtime.GOOS != "linux" {
				t.Skip("Go has AddressSanitizer on Linux alone")
			}
			t.Parallel()
			program := filepath.Join(t.TempDir(), "sanitize.test")
			out, err := exec.Command("go", "test", "-c", tool.flag, "-o", program, ".").CombinedOutput()
			if err != nil {
				t.Fatalf("go test -c %s: %v\n%s\nIt needs gcc and, for -asan, libasan (Debian: gcc and libgcc-12-dev or newer).", tool.flag, err, out)
			}
			for _, procs := range tool.procs {
				t.Run("GOMAXPROCS="+procs, func(t *testing.T) {
					t.Parallel()
					tool.run(t, program, procs)
				})
			}
		})
	}
}

// run runs a program that was built with the tool.
func (tool *tool) run(t *testing.T, program, procs string) {
	start := func(test, misuse string) (string, error) {
		cmd := exec.Command(program, "-test.run=^"+test+"$")
		cmd.Env = append(os.Environ(), "GOMAXPROCS="+procs, "GORACE=atexit_sleep_ms=0", misuseVariable+"="+misuse)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := start("TestRight", ""); err != nil {
		t.Errorf("TestRight: %v\n%s", err, out)
	}
	for name := range wrong {
		out, err := start("TestMisuse", name)
		if slices.Contains(tool.misses, name) {
			// What is documented as missed must not be found by mistake.
			if err != nil && !strings.Contains(name, "elsewhere") {
				t.Errorf("%s: is reported now: %v\n%s", name, err, out)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: is not reported", name)
		}
		for _, part := range tool.report {
			if !strings.Contains(out, part) {
				t.Errorf("%s: the report lacks %q:\n%s", name, part, out)
			}
		}
		if tool.flag == "-race" && name != "released twice" && !strings.Contains(out, "sanitize_test.misuse()") {
			t.Errorf("%s: the report lacks the misuse:\n%s", name, out)
		}
	}
}

// goEnv returns what the go command of this machine says of itself.
func goEnv(t *testing.T) map[string]string {
	out, err := exec.Command("go", "env", "-json", "GOHOSTOS", "GOHOSTARCH", "CGO_ENABLED").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	env := map[string]string{}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&env); err != nil {
		t.Fatal(err)
	}
	for name, value := range env {
		env[name] = strings.TrimSpace(value)
	}
	return env
}
