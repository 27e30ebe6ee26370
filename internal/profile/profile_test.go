package profile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/profile"
	"github.com/octet-go/octet/internal/testenv"
)

// here returns the stack of its caller, at most max deep.
func here(max int) []uintptr {
	stack := make([]uintptr, max)
	return stack[:runtime.Callers(2, stack)]
}

//go:noinline
func acquireDirectly() []uintptr { return here(32) }

func inlined() []uintptr { return acquireDirectly() }

//go:noinline
func acquireByInlined() []uintptr { return inlined() }

// inlineLeaf is inlined itself: the innermost function of its stack is.
func inlineLeaf() []uintptr {
	stack := make([]uintptr, 1)
	return stack[:runtime.Callers(1, stack)]
}

//go:noinline
func acquireByLeaf() []uintptr { return inlineLeaf() }

type embedded struct{}

func (*embedded) acquire() []uintptr { return acquireDirectly() }

// The method acquire of embedding is made by the compiler, with that of embedded
// inlined.
type embedding struct{ *embedded }

//go:noinline
func acquireByInterface(x interface{ acquire() []uintptr }) []uintptr { return x.acquire() }

func TestWriteProto(t *testing.T) {
	testenv.NeedsExec(t)
	direct, byInlined := acquireDirectly(), acquireByInlined()
	_, line := runtime.FuncForPC(direct[0]).FileLine(direct[0] - 1)
	tests := map[string]struct {
		samples []check.Amount
		args    []string
		want    []string // regular expressions
	}{
		"bytes by default": {
			[]check.Amount{{Stack: direct, Count: 3, Bytes: 12288}},
			[]string{"-top"},
			[]string{`Type: space`, `12kB total`, `12kB +100% +100% .*profile_test\.acquireDirectly`},
		},
		"counts": {
			[]check.Amount{{Stack: direct, Count: 3, Bytes: 12288}, {Stack: byInlined, Count: 1, Bytes: 100}},
			[]string{"-top", "-sample_index=buffers"},
			[]string{`Type: buffers`, `of 4 total`, `\b1 +25\.00%.*acquireByInlined`},
		},
		"inlined callers": {
			[]check.Amount{{Stack: byInlined, Count: 1, Bytes: 4096}},
			[]string{"-traces"},
			[]string{`acquireDirectly\n.*profile_test\.inlined\n.*acquireByInlined\n`},
		},
		"files and lines": {
			[]check.Amount{{Stack: direct, Count: 1, Bytes: 4096}},
			[]string{"-raw"},
			[]string{fmt.Sprintf(`acquireDirectly \S*/profile_test\.go:%d:0`, line), `profile_test\.TestWriteProto \S*/profile_test\.go:\d+`, `space/bytes\[dflt\]`, `buffers/count`,
				`\[FN\]\[FL\]\[LN\]\[IN\]`},
		},
		"a stack that ends in an inlined function": {
			[]check.Amount{{Stack: acquireByLeaf(), Count: 1, Bytes: 4096}},
			[]string{"-top"},
			[]string{`4kB +100%.*inlineLeaf`},
		},
		"inlined into a method that is left out": {
			[]check.Amount{{Stack: acquireByInterface(&embedding{new(embedded)}), Count: 1, Bytes: 4096}},
			[]string{"-raw"},
			[]string{`: 0x\w+ M=1 \S*\(\*embedded\)\.acquire .*\n +\d+: 0x\w+ M=1 \S*acquireByInterface `},
		},
		"equal stacks": {
			[]check.Amount{{Stack: direct, Count: 1, Bytes: 100}, {Stack: byInlined, Count: 5, Bytes: 5}, {Stack: direct, Count: 2, Bytes: 300}},
			[]string{"-raw"},
			[]string{`(?m)^ +3 +400: `, `(?m)^ +5 +5: `},
		},
		"no samples":      {nil, []string{"-raw"}, []string{`Samples:\nbuffers/count space/bytes\[dflt\]\nLocations`}},
		"an unseen stack": {[]check.Amount{{Stack: nil, Count: 2, Bytes: 200}}, []string{"-raw"}, []string{` 2 +200: `}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := profile.Write(&b, 0, nil, test.samples); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "profile")
			if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			out := pprofTool(t, append(test.args, file)...)
			for _, want := range test.want {
				if !regexp.MustCompile(want).MatchString(out) {
					t.Errorf("no match for %s in:\n%s", want, out)
				}
			}
		})
	}
}

// pprofTool returns what go tool pprof prints.
func pprofTool(t *testing.T, args ...string) string {
	t.Helper()
	path, err := pprofPath()
	if err != nil {
		t.Fatalf("go tool -n pprof: %v", err)
	}
	cmd := exec.Command(path, append([]string{"-symbolize=none"}, args...)...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go tool pprof %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// pprofPath returns the path of the tool, which the go command builds when it is
// first asked for it.
var pprofPath = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	return strings.TrimSpace(string(out)), err
})

func TestWriteText(t *testing.T) {
	direct, byInlined := acquireDirectly(), acquireByInlined()
	var b strings.Builder
	err := profile.Write(&b, 1, []string{"First note.", "Second."}, []check.Amount{{Stack: direct, Count: 1, Bytes: 100}, {Stack: byInlined, Count: 5, Bytes: 5000}, {Stack: direct, Count: 2, Bytes: 300}, {Stack: nil, Count: 1, Bytes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	// The one with most bytes comes first.
	want := regexp.MustCompile(`(?s)^# First note\.\n# Second\.\nprofile: 9 buffers, 5401 bytes\n` +
		`5: 5000 @( 0x[0-9a-f]+)+\n` +
		`#\t0x[0-9a-f]+\t\S*profile_test\.acquireDirectly\+0x[0-9a-f]+\s+\S*/profile_test\.go:\d+\n` +
		`#\t\S+\t\S*profile_test\.inlined\+.*` +
		`#\t\S+\t\S*profile_test\.acquireByInlined\+.*` +
		`\n\n3: 400 @ .*acquireDirectly.*\n\n1: 1 @\n\n$`)
	if !want.MatchString(b.String()) {
		t.Errorf("got\n%s", b.String())
	}
}

// TestWriteTextOffset sees how far into its function an instruction is.
func TestWriteTextOffset(t *testing.T) {
	stack := acquireDirectly()[:1]
	f, _ := runtime.CallersFrames(stack).Next()
	var b strings.Builder
	if err := profile.Write(&b, 1, nil, []check.Amount{{Stack: stack, Count: 1, Bytes: 1}}); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("#\t%#x\t%s+%#x\t", f.PC, f.Function, f.PC-f.Entry)
	if got := b.String(); !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// A failingWriter accepts some bytes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

func TestWriteReportsErrors(t *testing.T) {
	samples := []check.Amount{{Stack: acquireDirectly(), Count: 1, Bytes: 1}}
	for debug := range 2 {
		for _, accepted := range []int{0, 15} {
			if err := profile.Write(&failingWriter{accepted}, debug, nil, samples); err != os.ErrClosed {
				t.Errorf("debug=%d: Write to a writer that takes %d bytes returned %v", debug, accepted, err)
			}
		}
	}
}
