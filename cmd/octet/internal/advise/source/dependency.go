package source

import (
	"path"
	"path/filepath"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

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
	if r, ok := remedyOf(s[:k]); ok {
		site.What = r.what
		return site
	}
	switch {
	case below(s[:k], "bytes.(*Buffer)."):
		site.What = "a bytes.Buffer grows"
	case k > 0:
		return nil
	case filepath.IsAbs(file) && isSource(file):
		if p := t.load(filepath.Dir(file), file); p != nil {
			fn, _ := p.function(file, f.Line)
			if fn.pkg == nil {
				return nil
			}
			_, r := fn.allocation(f.Line)
			if site.What = r.what; r.what == "" {
				return nil
			}
		}
	}
	return site
}
