package testrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/child"
)

// std is what the overlay adds to the standard library. Below _std, poolwatch is the package internal/poolwatch, and
// the rest are files for packages that there are. Package protocol is copied, too.
//
//go:embed _std protocol/protocol.go
var std embed.FS

// A toolchain is the Go release that the tested module selects, as this command uses it.
type toolchain struct {
	goCommand string
	version   string
	root      string
	env       []string // of go commands that build with the overlay
	overlay   string   // the file for -overlay
}

// unknownShape says that the Go release is not as this command knows it.
func (t *toolchain) unknownShape(why string) error {
	return fmt.Errorf("%s: sync.Pool, or what this command needs of the runtime, has another shape than in the releases that it knows: %s", t.version, why)
}

// findToolchain asks the go command which release it uses here, and prepares the
// overlay for it in a folder.
func findToolchain(ctx context.Context, work string, sampling bool) (*toolchain, error) {
	text, err := output(ctx, child.Command(ctx, "go", "env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE"))
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var env struct{ GOVERSION, GOROOT, GOMODCACHE string }
	if err := json.Unmarshal(text, &env); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	t := &toolchain{version: env.GOVERSION, root: env.GOROOT}
	files, err := t.files()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s %q", t.version, t.root, files) // maps are printed in order
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "poolcheck", t.version+"-"+hex.EncodeToString(sum.Sum(nil)[:6]))
	if err := os.MkdirAll(filepath.Join(dir, "build"), 0o777); err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(env.GOMODCACHE, t.root); err == nil && !strings.HasPrefix(rel, "..") {
		// Files below the module cache cannot be replaced by an overlay.
		link := filepath.Join(dir, "goroot")
		if err := os.Symlink(t.root, link); err != nil && !os.IsExist(err) {
			return nil, fmt.Errorf("%s lies in the module cache, and a link to it is needed: %w", t.version, err)
		}
		t.root = link
	}
	if sampling { // after the sum, so that test and build have one cache, and what does not import os is built once
		const name = "os/poolwatch.go"
		files[name] = bytes.Replace(files[name], []byte("poolwatchBuilt = false"), []byte("poolwatchBuilt = true"), 1)
	}
	replace := make(map[string]string)
	for name, text := range files {
		to := filepath.Join(work, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return nil, err
		}
		replace[filepath.Join(t.root, "src", filepath.FromSlash(name))] = to
	}
	if text, err = json.Marshal(map[string]any{"Replace": replace}); err != nil {
		return nil, err
	}
	t.goCommand = filepath.Join(t.root, "bin", "go")
	t.overlay = filepath.Join(work, "overlay.json")
	// The build cache is separate: others have met stale builds with overlays in theirs.
	t.env = append(os.Environ(), "GOROOT="+t.root, "GOTOOLCHAIN=local", "GOCACHE="+filepath.Join(dir, "build"))
	return t, os.WriteFile(t.overlay, text, 0o666)
}

// changes are what is added to the standard library behind lines that are there, by file. What the
// added files need of it beside these lines the compiler misses.
var changes = []struct{ file, line, add string }{
	{"sync/pool.go", "import (\n", "\t\"internal/poolwatch\"\n"},
	{"sync/pool.go", "type Pool struct {\n", "\twatch poolwatch.Pool\n"},
	{"sync/pool.go", "func poolCleanup() {\n", "\tpoolwatch.Collected()\n"},
	{"sync/pool.go", "func (p *Pool) Put(x any) {\n", `	if poolwatch.Active && x != nil && poolwatch.Put(&p.watch, x, poolRaceAddr(x)) {
		return
	}
`},
	{"sync/pool.go", "func (p *Pool) Get() any {\n", `	if !poolwatch.Active {
		return p.take()
	}
	x := poolwatch.Get(&p.watch)
	if x == nil {
		return poolwatch.Taken(&p.watch, p.take())
	}
	if race.Enabled {
		race.Acquire(poolRaceAddr(x))
	}
	return x
}

func (p *Pool) take() any {
`},
	{"runtime/signal_unix.go", "func sighandler(sig uint32, info *siginfo, ctxt unsafe.Pointer, gp *g) {\n", `	if poolwatchFault(sig, &sigctxt{info, ctxt}, gp) {
		return
	}
`},
}

// files returns the files that are added to the standard library and those that
// are changed, by their paths below src.
func (t *toolchain) files() (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, c := range changes {
		text := files[c.file]
		if text == nil {
			var err error
			if text, err = os.ReadFile(filepath.Join(t.root, "src", filepath.FromSlash(c.file))); err != nil {
				return nil, t.unknownShape(err.Error())
			}
		}
		before, after, found := bytes.Cut(text, []byte("\n"+c.line))
		if !found {
			return nil, t.unknownShape(fmt.Sprintf("%s has no line %q", c.file, c.line))
		}
		files[c.file] = []byte(string(before) + "\n" + c.line + c.add + string(after))
	}
	err := fs.WalkDir(std, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := std.ReadFile(name)
		to := strings.TrimPrefix(name, "_std/")
		switch path.Dir(to) {
		case "protocol":
			to = "poolwatch/" + to
			fallthrough
		case "poolwatch":
			to = "internal/" + to
			text = bytes.ReplaceAll(text, []byte("\nfunc "), []byte("\n//go:norace\n//go:nocheckptr\nfunc "))
		}
		files[to] = text
		return err
	})
	return files, err
}

// output runs a command and returns its standard output; its standard error is part
// of the error.
func output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := child.Run(ctx, cmd)
	if err != nil && stderr.Len() > 0 {
		err = fmt.Errorf("%w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), err
}
