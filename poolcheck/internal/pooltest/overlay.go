package pooltest

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

//go:embed _std
var std embed.FS

// A toolchain is the Go release that the tested module selects, as this command uses it.
type toolchain struct {
	goCommand string
	version   string
	root      string
	env       []string // of go commands that build with the overlay
	overlay   string   // the file for -overlay
}

// An unknownShape says that a Go release is not as this command knows it.
type unknownShape struct{ version, why string }

func (e *unknownShape) Error() string {
	return fmt.Sprintf("%s: sync.Pool, or what this command needs of the runtime, has another shape than in the releases that it knows: %s", e.version, e.why)
}

// findToolchain asks the go command which release it uses here, and prepares the
// overlay for it.
func findToolchain(buildFlags []string) (*toolchain, error) {
	text, err := output(exec.Command("go", "env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE"))
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var env struct{ GOVERSION, GOROOT, GOMODCACHE string }
	if err := json.Unmarshal(text, &env); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	t := &toolchain{goCommand: filepath.Join(env.GOROOT, "bin", "go"), version: env.GOVERSION, root: env.GOROOT}
	files, err := t.files()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, t.version, t.root)
	for _, f := range files {
		fmt.Fprintf(sum, "%s %d\n%s", f.name, len(f.text), f.text)
	}
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
		t.goCommand = filepath.Join(link, "bin", "go")
	}
	replace := make(map[string]string)
	for _, f := range files {
		to := filepath.Join(dir, strings.ReplaceAll(f.name, "/", "_"))
		if err := writeOnce(to, f.text); err != nil {
			return nil, err
		}
		replace[filepath.Join(t.root, "src", filepath.FromSlash(f.name))] = to
	}
	text, err = json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	t.overlay = filepath.Join(dir, "overlay.json")
	if err := writeOnce(t.overlay, text); err != nil {
		return nil, err
	}
	// The build cache is separate: others have met stale builds with overlays in theirs.
	t.env = append(os.Environ(), "GOROOT="+t.root, "GOTOOLCHAIN=local", "GOCACHE="+filepath.Join(dir, "build"))
	return t, nil
}

// writeOnce writes a file whose content its name decides. Another process may do so at
// the same time.
func writeOnce(name string, text []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// A stdFile is a file of the standard library, by its path below src.
type stdFile struct {
	name string
	text []byte
}

// files returns the files that are added to the standard library and those that
// are changed.
func (t *toolchain) files() ([]stdFile, error) {
	name := filepath.Join(t.root, "src", "sync", "pool.go")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	pool, err := editPool(text)
	if err != nil {
		return nil, &unknownShape{t.version, err.Error()}
	}
	list := []stdFile{{"sync/pool.go", pool}}
	for _, need := range []struct{ file, text string }{
		{"internal/runtime/exithook/hooks.go", "func Add(h Hook)"},
		{"internal/sync/mutex.go", "func (m *Mutex) Lock()"},
		{"runtime/mgcpacer.go", "heapMarked uint64"},
		{"runtime/mheap.go", "func spanOfHeap(p uintptr) *mspan"},
		{"runtime/mbitmap.go", "func findObject(p, refBase, refOff uintptr) (base uintptr, s *mspan, objIndex uintptr)"},
		{"runtime/race.go", "func racewriterangepc(addr unsafe.Pointer, sz, callpc, pc uintptr)"},
	} {
		text, err := os.ReadFile(filepath.Join(t.root, "src", filepath.FromSlash(need.file)))
		if err != nil || !bytes.Contains(text, []byte(need.text)) {
			return nil, &unknownShape{t.version, fmt.Sprintf("%s has no %q", need.file, need.text)}
		}
	}
	err = fs.WalkDir(std, "_std", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := std.ReadFile(name)
		if err != nil {
			return err
		}
		to := strings.TrimPrefix(name, "_std/")
		if path.Dir(to) == "poolwatch" {
			to = "internal/" + to
			text = bytes.ReplaceAll(text, []byte("\nfunc "), []byte("\n//go:norace\n//go:nocheckptr\nfunc "))
		}
		list = append(list, stdFile{to, text})
		return nil
	})
	return list, err
}

// editPool makes sync/pool.go call the package poolwatch.
func editPool(text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "pool.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	type insertion struct {
		at   token.Pos
		text string
	}
	var inserts []insertion
	need := map[string]bool{"type Pool": true, "Put": true, "Get": true, "poolCleanup": true, "poolRaceAddr": true, "New": true}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				ts, ok := spec.(*ast.TypeSpec)
				if !ok || ts.Name.Name != "Pool" {
					continue
				}
				if st, ok := ts.Type.(*ast.StructType); ok && ts.TypeParams == nil {
					delete(need, "type Pool")
					inserts = append(inserts, insertion{st.Fields.Closing, "\n\twatch *poolwatch.Pool\n"})
					for _, f := range st.Fields.List {
						if len(f.Names) == 1 && f.Names[0].Name == "New" && source(fset, f.Type) == "func() any" {
							delete(need, "New")
						}
					}
				}
			}
		case *ast.FuncDecl:
			switch signature := source(fset, d.Recv) + source(fset, d.Type); {
			case d.Name.Name == "Put" && signature == "(p *Pool)func(x any)":
				inserts = append(inserts, insertion{d.Body.Lbrace + 1, putHook})
			case d.Name.Name == "Get" && signature == "(p *Pool)func() any":
				inserts = append(inserts, insertion{d.Body.Lbrace + 1, getHook})
			case d.Name.Name == "poolCleanup" && signature == "func()":
				inserts = append(inserts, insertion{d.Body.Lbrace + 1, "\n\tpoolwatch.Collected()\n"})
			case d.Name.Name == "poolRaceAddr" && signature == "func(x any) unsafe.Pointer":
			default:
				continue
			}
			delete(need, d.Name.Name)
		}
	}
	for what := range need {
		return nil, fmt.Errorf("sync/pool.go declares no %s of the known form", what)
	}
	inserts = append(inserts, insertion{file.Name.End(), "\n\nimport \"internal/poolwatch\"\n"})
	var out []byte
	at := 0
	for len(inserts) > 0 {
		first := 0
		for i := range inserts {
			if inserts[i].at < inserts[first].at {
				first = i
			}
		}
		to := fset.Position(inserts[first].at).Offset
		out = append(append(out, text[at:to]...), inserts[first].text...)
		at = to
		inserts = append(inserts[:first], inserts[first+1:]...)
	}
	return append(out, text[at:]...), nil
}

const putHook = `
	if poolwatch.Active && x != nil {
		if p == nil {
			panic("nil Pool")
		}
		poolwatch.Put(&p.watch, x, poolRaceAddr(x))
		return
	}
`

const getHook = `
	if poolwatch.Active {
		if p == nil {
			panic("nil Pool")
		}
		x := poolwatch.Get(&p.watch)
		if x != nil {
			if race.Enabled {
				race.Acquire(poolRaceAddr(x))
			}
		} else if p.New != nil {
			x = poolwatch.Made(p.New())
		}
		return x
	}
`

// source returns the text of a part of a syntax tree.
func source(fset *token.FileSet, n any) string {
	switch l := n.(type) {
	case *ast.FieldList:
		if l == nil || len(l.List) != 1 || len(l.List[0].Names) != 1 {
			return ""
		}
		return "(" + l.List[0].Names[0].Name + " " + source(fset, l.List[0].Type) + ")"
	}
	var b strings.Builder
	if format.Node(&b, fset, n) != nil {
		return ""
	}
	return b.String()
}

// output runs a command and returns its standard output; its standard error is part
// of the error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil && stderr.Len() > 0 {
		err = fmt.Errorf("%w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return text, err
}
