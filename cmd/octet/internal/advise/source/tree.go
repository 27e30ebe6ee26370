// Package source finds out, from the source of a program, what allocates at a line and where the memory
// ends. It parses the folders that it is asked about, and type-checks them with the packages of the
// module that they import, and without all others, which takes a second where loading a program takes minutes.
//
// # Map
//
//	tree.go     the reader's module, and which frames are in it
//	pkg.go      a parsed and type-checked folder
//	explain.go  from a stack to what allocates there, and what to write
//	expr.go     the expression at a line that allocates bytes
//	known.go    functions that allocate for their caller, and functions that do not keep the bytes that they are given
//	flow.go     where memory ends
//	clear.go    what is to be cleared of a slice of a pool
//	edit.go     the change of a site that is one expression
//	others.go   other modules: those that have to release, and those that allocate
package source

import (
	"errors"
	"fmt"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// A Tree is the module whose source the reader can change.
type Tree struct {
	Module string // its path
	root   string
	pkgs   map[string]*pkg   // by folder
	files  map[string]string // of this machine, by package and name in the profile
	decls  map[types.Object]function
}

// Open finds the module of a folder.
func Open(dir string) (*Tree, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(root); err != nil {
		return nil, err
	}
	for {
		data, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil {
			module := modfile.ModulePath(data)
			if module == "" {
				return nil, fmt.Errorf("%s names no module", filepath.Join(root, "go.mod"))
			}
			return &Tree{module, root, make(map[string]*pkg), make(map[string]string), make(map[types.Object]function)}, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if parent := filepath.Dir(root); parent != root {
			root = parent
			continue
		}
		return nil, fmt.Errorf("%s is in no module; run octet advise in the program's, or name it with --dir", dir)
	}
}

// Root returns the module's folder.
func (t *Tree) Root() string { return t.root }

// Rel returns a name of the file that is relative to the module.
func (t *Tree) Rel(file string) string {
	if rel, err := filepath.Rel(t.root, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return file
}

// Mine reports whether the frame is in the module.
func (t *Tree) Mine(f profiles.Frame) bool {
	p := packagePath(f.Func)
	switch {
	case p == "main" || p == "command-line-arguments":
		return t.find(f) != ""
	case strings.HasSuffix(p, ".test"):
		return false
	}
	p = strings.TrimSuffix(p, "_test")
	return p == t.Module || strings.HasPrefix(p, t.Module+"/")
}

// First returns the index of the innermost frame in the module, or -1.
func (t *Tree) First(s profiles.Stack) int {
	for i, f := range s {
		if t.Mine(f) {
			return i
		}
	}
	return -1
}

// find returns the file of a frame in the module, or "". The profile may have been taken where the
// module was elsewhere, or without paths (-trimpath).
func (t *Tree) find(f profiles.Frame) string {
	key := packagePath(f.Func) + " " + f.File
	file, ok := t.files[key]
	if !ok {
		file = t.lookUp(f)
		t.files[key] = file
	}
	return file
}

func (t *Tree) lookUp(f profiles.Frame) string {
	name := path.Clean(filepath.ToSlash(f.File))
	folder, ofModule := strings.CutPrefix(strings.TrimSuffix(packagePath(f.Func), "_test"), t.Module)
	var relative []string
	switch rel := t.Rel(name); {
	case path.Ext(name) != ".go":
	case filepath.IsAbs(name) && filepath.IsLocal(rel) && isSource(filepath.Join(t.root, rel)):
		relative = []string{rel}
	case ofModule:
		relative = []string{strings.TrimPrefix(path.Join(folder, path.Base(name)), "/")}
	case !strings.Contains(name, "@v") && !strings.Contains(name, "/src/runtime/"):
		// Package main says nothing about its folder; the end of the name does.
		for rest := name; rest != ""; _, rest, _ = strings.Cut(rest, "/") {
			relative = append(relative, rest)
		}
	}
	for _, rel := range relative {
		if file := filepath.Join(t.root, filepath.FromSlash(rel)); filepath.IsLocal(filepath.FromSlash(rel)) && isSource(file) {
			return file
		}
	}
	return ""
}

// maxSource bounds the files that are read, whatever a profile names.
const maxSource = 16 << 20

func isSource(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxSource
}

// packagePath returns the path of a function's package. In it a dot of the last element is %2e.
func packagePath(name string) string {
	name, _, _ = strings.Cut(name, "[") // type arguments have paths too
	slash := strings.LastIndexByte(name, '/')
	if dot := strings.IndexByte(name[slash+1:], '.'); dot >= 0 {
		name = name[:slash+1+dot]
	}
	return strings.ReplaceAll(name, "%2e", ".")
}

// ShortName returns the name of a function without the folder of its package.
func ShortName(name string) string {
	head, args, generic := strings.Cut(name, "[")
	head = head[strings.LastIndexByte(head, '/')+1:]
	if generic {
		head += "[" + args
	}
	return head
}

// ModuleOf returns the module that a function outside of the standard library probably is in, or "".
func ModuleOf(f profiles.Frame) string {
	p := packagePath(f.Func)
	first, _, _ := strings.Cut(p, "/")
	if !strings.Contains(first, ".") {
		return ""
	}
	parts := strings.Split(p, "/")
	return strings.Join(parts[:min(len(parts), 3)], "/")
}
