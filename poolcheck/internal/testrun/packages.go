package testrun

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/child"
)

// packages is what go list says of the packages that are named.
type packages struct {
	tested  []*goPackage        // those that have tests and depend on a sync.Pool
	without int                 // packages with tests that do not
	main    []string            // the folders of the main modules
	own     map[string][]string // the files of their packages, by folder
}

type goPackage struct {
	ImportPath, Dir, ForTest  string
	Standard, DepOnly         bool
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
	Deps                      []string
	Module                    *struct {
		Main bool
		Dir  string
	}
	Error *struct{ Err string }

	usesOctet bool // or its tests do
}

func listPackages(ctx context.Context, o *Options) (*packages, error) {
	args := []string{"list", "-e", "-deps", "-test",
		"-json=ImportPath,Dir,ForTest,Standard,DepOnly,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Deps,Module,Error"}
	args = append(append(args, o.build...), o.patterns...)
	text, err := output(ctx, child.Command(ctx, "go", args...))
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	p := &packages{own: make(map[string][]string)}
	tests := make(map[string][]string) // what test binaries depend on
	pool, octet := make(map[string]bool), make(map[string]bool)
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		pkg := new(goPackage)
		if err := dec.Decode(pkg); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		if pkg.Standard {
			continue
		}
		if pkg.Module != nil && pkg.Module.Main && len(pkg.Module.Dir) > 0 {
			p.main = append(p.main, pkg.Module.Dir)
			if pkg.ForTest == "" && !strings.HasSuffix(pkg.ImportPath, ".test") {
				p.own[pkg.Dir] = slices.Concat(pkg.GoFiles, pkg.CgoFiles)
			}
		}
		octet[pkg.ImportPath] = strings.HasPrefix(pkg.ImportPath, "github.com/octet-go/octet/")
		pool[pkg.ImportPath] = octet[pkg.ImportPath] || pkg.mentions("sync.Pool")
		if name, ok := strings.CutSuffix(pkg.ImportPath, ".test"); ok {
			tests[name] = pkg.Deps
		} else if !pkg.DepOnly && pkg.ForTest == "" {
			if pkg.Error != nil && len(pkg.GoFiles)+len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) == 0 {
				return nil, fmt.Errorf("%s", pkg.Error.Err)
			}
			if len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) > 0 {
				p.tested = append(p.tested, pkg)
			}
		}
	}
	all := len(p.tested)
	p.tested = slices.DeleteFunc(p.tested, func(pkg *goPackage) bool {
		deps, ok := tests[pkg.ImportPath]
		in := func(set map[string]bool) bool {
			return slices.ContainsFunc(deps, func(d string) bool { return set[d] })
		}
		pkg.usesOctet = in(octet)
		return ok && !in(pool)
	})
	p.without = all - len(p.tested)
	return p, nil
}

// mentions reports whether a word is in the package's files.
func (pkg *goPackage) mentions(word string) bool {
	return slices.ContainsFunc(slices.Concat(pkg.GoFiles, pkg.CgoFiles), func(name string) bool {
		if !filepath.IsAbs(name) {
			name = filepath.Join(pkg.Dir, name)
		}
		text, err := os.ReadFile(name)
		return err == nil && bytes.Contains(text, []byte(word))
	})
}

// foreign reports whether a file is in none of the main modules.
func (p *packages) foreign(file string) bool {
	for _, dir := range p.main {
		rel, err := filepath.Rel(dir, file)
		if err == nil && !strings.HasPrefix(rel, "..") && !strings.HasPrefix(filepath.ToSlash(rel), "vendor/") {
			return false
		}
	}
	return len(p.main) > 0
}
