package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Compiled is what the compiler said of a package.
type Compiled struct {
	Output    string // the diagnostics, as go build prints them
	inlinable map[string]bool
}

// Compile builds the package in the current directory, which is that of the test,
// and returns what the compiler says of its optimizations: gcflags is -m, or -m=2
// for more. The build tags are those of the test. It skips the test where no process
// can be started, and under a sanitizer, which this build does not have.
func Compile(t testing.TB, gcflags string) *Compiled {
	t.Helper()
	NeedsExec(t)
	PlainBuild(t)
	args := []string{"build", "-gcflags=" + gcflags}
	if tags := BuildSetting("-tags"); tags != "" {
		args = append(args, "-tags="+tags)
	}
	cmd := exec.Command("go", append(args, ".")...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	c := &Compiled{Output: string(out), inlinable: make(map[string]bool)}
	for _, m := range canInline.FindAllStringSubmatch(c.Output, -1) {
		c.inlinable[m[1]] = true
	}
	return c
}

// canInline matches the compiler's word for a function that it inlines. The name
// may contain spaces, as in T[go.shape.struct {}].f; with -m=2 a cost follows.
var canInline = regexp.MustCompile(`(?m): can inline (.+?)(?: with cost .*)?$`)

// WantInlined fails t for each of the named functions that the compiler does not
// inline. A method is named (*T).f or T.f.
func (c *Compiled) WantInlined(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if !c.inlinable[name] {
			t.Errorf("%s is not inlined any more", name)
		}
	}
}

// ProgramSize returns how many bytes the program has that the compiler makes of a source file
// in the current directory's module.
func ProgramSize(t testing.TB, source string) int64 {
	t.Helper()
	NeedsExec(t)
	dir := t.TempDir()
	file, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
