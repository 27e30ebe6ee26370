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

// A goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir, ForTest  string
	Standard, DepOnly         bool
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
	Deps                      []string
	Error                     *struct{ Err string }

	usesOctet bool        // or its tests do
	binary    *testBinary // nil if it was not built
	firstRuns
}

// listPackages returns those of the named packages that have tests and depend on a sync.Pool, and how many have tests
// that do not.
func listPackages(ctx context.Context, o *Options) (tested []*goPackage, without int, err error) {
	args := []string{"list", "-e", "-deps", "-test",
		"-json=ImportPath,Dir,ForTest,Standard,DepOnly,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Deps,Error"}
	args = append(append(args, o.build...), o.patterns...)
	text, err := output(ctx, child.Command(ctx, "go", args...))
	if err != nil {
		return nil, 0, fmt.Errorf("go list: %w", err)
	}
	tests := make(map[string][]string) // what test binaries depend on
	pool, octet := make(map[string]bool), make(map[string]bool)
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		pkg := new(goPackage)
		if err := dec.Decode(pkg); err == io.EOF {
			break
		} else if err != nil {
			return nil, 0, fmt.Errorf("output of go list: %w", err)
		}
		if pkg.Standard {
			continue
		}
		octet[pkg.ImportPath] = strings.HasPrefix(pkg.ImportPath, "github.com/octet-go/octet/")
		pool[pkg.ImportPath] = octet[pkg.ImportPath] || pkg.mentions("sync.Pool")
		if name, ok := strings.CutSuffix(pkg.ImportPath, ".test"); ok {
			tests[name] = pkg.Deps
		} else if !pkg.DepOnly && pkg.ForTest == "" {
			if pkg.Error != nil && len(pkg.GoFiles)+len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) == 0 {
				return nil, 0, fmt.Errorf("%s", pkg.Error.Err)
			}
			if len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) > 0 {
				tested = append(tested, pkg)
			}
		}
	}
	all := len(tested)
	tested = slices.DeleteFunc(tested, func(pkg *goPackage) bool {
		deps, ok := tests[pkg.ImportPath]
		in := func(set map[string]bool) bool {
			return slices.ContainsFunc(deps, func(d string) bool { return set[d] })
		}
		pkg.usesOctet = in(octet)
		return ok && !in(pool)
	})
	return tested, all - len(tested), nil
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
