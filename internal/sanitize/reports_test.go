//go:build !race && !asan && !octet_purego

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

	"github.com/octet-go/octet/internal/testenv"
)

// A tool is what a program can be built with.
type tool struct {
	flag   string
	stops  bool     // a report ends the program
	procs  []string // values of GOMAXPROCS to try
	report []string // what every report contains
	misses []string // the misuses that it does not report
}

// unseen are the misuses that no tool reports: accesses by assembly and through the
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
		stops: true,
		procs: []string{"4"},
		// It shows the innermost function alone, which may be the runtime's.
		report: []string{"AddressSanitizer: use-after-poison on address", " of size "},
		misses: append([]string{"released twice", "after reuse elsewhere"}, unseen...),
	},
}

// TestReports builds this package's tests with -race and with -asan. It sees that
// TestRight passes, and compares what is reported of TestMisuse. The tag octet_purego
// changes nothing of them.
func TestReports(t *testing.T) {
	testenv.NeedsExec(t)
	testenv.Long(t)
	host := goEnv(t)
	if host["GOHOSTOS"] != runtime.GOOS || host["GOHOSTARCH"] != runtime.GOARCH || host["CGO_ENABLED"] != "1" {
		t.Skipf("%s/%s cannot be built with -race on this %s/%s", runtime.GOOS, runtime.GOARCH, host["GOHOSTOS"], host["GOHOSTARCH"])
	}
	// Reading these files makes the go command run this test again when one has changed
	// that only the programs contain.
	sources, err := filepath.Glob("*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal("no source files: ", err)
	}
	for _, source := range sources {
		if _, err := os.Stat(source); err != nil {
			t.Fatal(err)
		}
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
				t.Fatalf("go test -c %s: %v\n%s\nIt needs gcc and, for -asan, libasan (Debian: gcc brings both).", tool.flag, err, out)
			}
			for _, procs := range tool.procs {
				t.Run("GOMAXPROCS="+procs, func(t *testing.T) {
					t.Parallel()
					tool.test(t, program, procs)
				})
			}
		})
	}
}

// test runs a program that was built with the tool.
func (tool *tool) test(t *testing.T, program, procs string) {
	run := func(test string) (string, error) {
		cmd := exec.Command(program, "-test.v", "-test.run="+test)
		cmd.Env = append(os.Environ(), "GOMAXPROCS="+procs, "GORACE=atexit_sleep_ms=0", "ASAN_OPTIONS=symbolize=0", misuseVariable+"=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("^TestRight$"); err != nil {
		t.Errorf("TestRight: %v\n%s", err, out)
	}

	const start = "=== RUN   TestMisuse/"
	var out string
	if !tool.stops {
		out, _ = run("^TestMisuse$")
	} else {
		for name := range wrong {
			one, _ := run("^TestMisuse$/^" + name + "$")
			out += one
		}
	}
	reports := map[string]string{}
	for _, part := range strings.Split(out, start)[1:] {
		name, report, _ := strings.Cut(part, "\n")
		reports[name] = report
	}
	for name := range wrong {
		report, ok := reports[strings.ReplaceAll(name, " ", "_")]
		switch {
		case !ok:
			t.Errorf("%s did not run:\n%s", name, out)
		case !slices.Contains(tool.misses, name):
			tool.check(t, name, report)
		case strings.Contains(report, tool.report[0]) && name != "after reuse elsewhere":
			t.Errorf("%s is reported, which it never was:\n%s", name, report)
		}
	}
}

// check checks the report of a misuse.
func (tool *tool) check(t *testing.T, name, report string) {
	want := tool.report
	if !tool.stops && name != "released twice" {
		want = append(slices.Clip(want), "sanitize_test.misuse()")
	}
	for _, part := range want {
		if !strings.Contains(report, part) {
			t.Errorf("%s: the report lacks %q:\n%s", name, part, report)
		}
	}
}

// goEnv returns variables of the go command.
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
