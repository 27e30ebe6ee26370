// Package driver runs an analyzer on packages that it reads from their source. It compiles nothing, and reads no more than
// it needs: see [Run].
//
// # Map
//
//   - driver.go: which packages there are, and the order in which they are looked at
//   - types.go: their types, of whole packages and of what others see of them
//   - facts.go: the analyzer's pass over one package, and the facts that it leaves to others
package driver

import (
	"bytes"
	"context"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A Config says what to run, and on what.
type Config struct {
	Analyzer *analysis.Analyzer // that requires no other
	Table    api.Table          // of the pools that it knows
	Patterns []string           // of packages, as the go command takes them
	Tags     string             // of the build, with commas between
	Tests    bool               // with test files
	Checked  func(done, all int)
}

// A Package is one that was asked for, with its tests.
type Package struct {
	Path        string
	Diagnostics []analysis.Diagnostic
	Err         error // why it, or a test of it, could not be checked
	Checked     bool  // false only after an interrupt
	waits       int   // for so many units
}

// A unit is what the compiler would compile at once: a package, the same with its test files, or its external tests.
type unit struct {
	*packages.Package
	imports map[string]*unit // by the path in the source
	of      *Package         // nil if it is here only because others import it

	analyzed, typed sync.Once
	types           *types.Package // for those that import it
	facts           bool           // it has left some
}

type run struct {
	Config
	fset  *token.FileSet
	units map[*packages.Package]*unit
	slots chan struct{} // one for each processor
	facts facts
	mu    sync.Mutex // of the packages and the count
	done  int
	all   []*Package
}

// Run checks packages, and returns them with the positions of their diagnostics. An interrupt, by ctx, leaves some unchecked.
//
// What cannot reach a pool is not analyzed: a package that nobody asked for is looked at only if its text says that it may
// use or declare a pool, or if it imports a package that left facts. Of all others, the declarations alone are checked, of
// the packages alone that the declarations of their importers name. The standard library is always among these.
func Run(ctx context.Context, config Config) ([]*Package, *token.FileSet, error) {
	r := &run{
		Config: config, fset: token.NewFileSet(), units: make(map[*packages.Package]*unit),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)), facts: facts{m: make(map[factKey]analysis.Fact)},
	}
	cfg := &packages.Config{
		Context: ctx, Tests: config.Tests,
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedModule | packages.NeedTypesSizes | packages.NeedForTest,
	}
	if config.Tags != "" {
		cfg.BuildFlags = []string{"-tags=" + config.Tags}
	}
	loaded, err := packages.Load(cfg, config.Patterns...)
	if err != nil {
		return nil, nil, err
	}
	roots := r.roots(loaded)
	var group sync.WaitGroup
	for _, u := range roots {
		group.Go(func() { r.visit(ctx, u) })
	}
	group.Wait()
	return r.all, r.fset, nil
}

// roots returns the units of the packages that were asked for. A package with tests of its own stands for itself.
func (r *run) roots(loaded []*packages.Package) []*unit {
	tested := make(map[string]bool)
	for _, p := range loaded {
		if p.ForTest == p.PkgPath {
			tested[p.PkgPath] = true
		}
	}
	byPath := make(map[string]*Package)
	var roots []*unit
	for _, p := range loaded {
		if strings.HasSuffix(p.ID, ".test") && p.Name == "main" || p.ForTest == "" && tested[p.PkgPath] {
			continue
		}
		path := p.PkgPath
		if p.ForTest != "" {
			path = p.ForTest
		}
		if byPath[path] == nil {
			byPath[path] = &Package{Path: path}
			r.all = append(r.all, byPath[path])
		}
		u := r.unit(p)
		u.of = byPath[path]
		u.of.waits++
		roots = append(roots, u)
	}
	return roots
}

// unit returns the unit of p, and makes those that it imports.
func (r *run) unit(p *packages.Package) *unit {
	if u := r.units[p]; u != nil {
		return u
	}
	u := &unit{Package: p, imports: make(map[string]*unit)}
	r.units[p] = u
	for path, imp := range p.Imports {
		u.imports[path] = r.unit(imp)
	}
	return u
}

// visit analyzes what u imports, and then u, if that can matter.
func (r *run) visit(ctx context.Context, u *unit) {
	u.analyzed.Do(func() {
		var group sync.WaitGroup
		for _, imp := range u.imports {
			if imp.of != nil || !api.Standard(imp.PkgPath) {
				group.Go(func() { r.visit(ctx, imp) })
			}
		}
		group.Wait()
		r.slots <- struct{}{}
		defer func() { <-r.slots }()
		if ctx.Err() == nil && (u.of != nil || r.matters(u)) {
			diagnostics, err := r.analyze(u)
			r.finish(u, diagnostics, err)
		}
	})
}

// matters reports whether u can hold, hand out or take back pooled memory, as far as its text and its imports tell.
func (r *run) matters(u *unit) bool {
	packages := r.Table.Packages()
	for _, imp := range u.imports {
		if _, named := packages[imp.PkgPath]; named || imp.facts {
			return true
		}
	}
	pools := u.imports["sync"] != nil || u.imports["net/http/httputil"] != nil // sync.Pool, httputil.BufferPool
	return slices.ContainsFunc(u.CompiledGoFiles, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && (pools && bytes.Contains(text, []byte("Pool")) || bytes.Contains(text, []byte("//poolcheck:")))
	})
}

// finish adds to the package of u what was found.
func (r *run) finish(u *unit, diagnostics []analysis.Diagnostic, err error) {
	if u.of == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	u.of.Diagnostics = append(u.of.Diagnostics, diagnostics...)
	if u.of.Err == nil {
		u.of.Err = err
	}
	if u.of.waits--; u.of.waits == 0 {
		u.of.Checked = true
		r.done++
		r.Checked(r.done, len(r.all))
	}
}
