package bytebuf_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// changes turns Go's tests of bytes.Buffer into tests of this package. Each must match,
// so that a new release of Go is noticed.
var changes = []struct{ from, to string }{
	{`(?m)^package bytes_test$`, `package bytebuf_test`},
	{`(?m)^\t\. "bytes"$`, "\t. \"github.com/octet-go/octet/bytebuf\"\n\tstd \"bytes\""},
	{`(?m)^\t"internal/testenv"\n`, ``},
	{`(?m)^\ttestenv\.SkipIfOptimizationOff\(t\)\n`, ``},
	{`"bytes\.Buffer: reader returned negative count from Read"`, `"bytebuf: ReadFrom: the Reader returned an impossible count"`},
	{`\bEqual\(`, `std.Equal(`},
	{`\bRepeat\(`, `std.Repeat(`},
}

// TestGo runs the tests of bytes.Buffer that come with the toolchain on Buffer. It makes
// a module for them outside of the repository.
func TestGo(t *testing.T) {
	testenv.NeedsExec(t)
	testenv.PlainBuild(t)
	if exec.Command(os.Args[0], "-test.run=^$").Run() != nil {
		// With another emulator, given to go test by -exec, this program cannot start
		// itself, and go test could not start its tests. FuzzBuffer's corpus covers
		// what Go's tests do.
		t.Skip("programs of this platform do not run directly")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "src", "bytes", "buffer_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		re := regexp.MustCompile(c.from)
		if !re.Match(src) {
			t.Errorf("nothing matches %s", c.from)
		}
		src = re.ReplaceAll(src, []byte(c.to))
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string]string{
		"buffer_test.go": string(src),
		"go.mod": "module gobuffer\n\ngo 1.26.0\n\n" +
			"require github.com/octet-go/octet v0.0.0\n\n" +
			"replace github.com/octet-go/octet => " + root + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"test", "-count=1", "-v", "-short"}
	if purego {
		args = append(args, "-tags=octet_purego")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := bytes.Count(out, []byte("--- PASS")); n < 25 || bytes.Contains(out, []byte("--- SKIP")) {
		t.Errorf("%d tests passed, want them all:\n%s", n, out)
	}
	if v, err := exec.Command("go", "env", "GOVERSION").Output(); err != nil || strings.TrimSpace(string(v)) != runtime.Version() {
		t.Errorf("go is %s, this program's is %s (%v)", v, runtime.Version(), err)
	}
}
