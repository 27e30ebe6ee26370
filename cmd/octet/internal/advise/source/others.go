package source

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// Callers says that memory ends where a function of the module's API is called.
const Callers Ends = "callers"

// exported returns the name of the function of a frame if programs that import the module can call it, or "".
func (t *Tree) exported(f profiles.Frame) string {
	fn, _, ok := t.function(f)
	if p := packagePath(f.Func); !ok || p == "main" || slices.Contains(strings.Split(p, "/"), "internal") {
		return ""
	}
	d, ok := fn.cur.Node().(*ast.FuncDecl)
	if !ok || !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(strings.TrimLeft(text(d.Recv.List[0].Type), "*")) {
		return ""
	}
	return d.Name.Name
}

// callers says where the module itself calls an exported function: in its package, and where that is imported.
func (t *Tree) callers(f profiles.Frame, name string) string {
	call := regexp.MustCompile(`(?m)^(?:[^/\n"]*[^\w/\n"])?` + name + `\(`)
	own := filepath.Dir(t.find(f))
	var all []string
	filepath.WalkDir(t.root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && file != t.root && (strings.ContainsAny(d.Name()[:1], "._") || d.Name() == "testdata" || d.Name() == "vendor" || isSource(filepath.Join(file, "go.mod"))):
			return filepath.SkipDir
		case filepath.Ext(file) != ".go" || isTest(file) || !isSource(file):
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil || filepath.Dir(file) != own && !strings.Contains(string(data), `"`+packagePath(f.Func)+`"`) {
			return nil
		}
		for _, at := range call.FindAllIndex(data, -1) {
			if !strings.HasPrefix(string(data[at[0]:]), "func ") {
				all = append(all, fmt.Sprintf("%s:%d", t.Rel(file), 1+strings.Count(string(data[:at[1]]), "\n")))
			}
		}
		return nil
	})
	switch n := len(all); {
	case n == 0:
		return "of which the module has none"
	case n > 5:
		return fmt.Sprintf("in the module %s and %d more", strings.Join(all[:5], ", "), n-5)
	}
	return "in the module " + strings.Join(all, ", ")
}

// Dependency is where the memory of a site ends that is in another module.
const Dependency Ends = "dependency"

// Foreign returns the index of the innermost frame that is not of the standard library, if it is of another module, or -1.
func (t *Tree) Foreign(s profiles.Stack) int {
	for i, f := range s {
		switch {
		case t.Mine(f):
			return -1
		case ModuleOf(f) != "":
			return i
		}
	}
	return -1
}

// Dependency returns what another module allocates at a stack, or nil if that is no byte memory.
func (t *Tree) Dependency(s profiles.Stack) *Site {
	k := t.Foreign(s)
	if k < 0 || below(s[:k], "strings.") {
		return nil
	}
	f := s[k]
	file := filepath.FromSlash(f.File)
	site := t.site(f, "", "memory of bytes or not, for its source is not here")
	site.File, site.Ends = packagePath(f.Func)+"/"+path.Base(filepath.ToSlash(f.File)), Dependency
	r, ok := remedyOf(s[:k])
	switch {
	case ok:
		site.What = r.what
	case below(s[:k], "bytes.(*Buffer)."):
		site.What = "a bytes.Buffer grows"
	case k > 0:
		return nil
	case filepath.IsAbs(file) && isSource(file):
		fn, ok := t.functionAt(file, f.Line)
		if !ok {
			return nil
		}
		if _, r = fn.allocation(f.Line); r.what == "" {
			return nil
		}
		site.What = r.what
	}
	return site
}
