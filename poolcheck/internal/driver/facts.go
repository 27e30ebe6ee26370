package driver

import (
	"fmt"
	"go/types"
	"os"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// facts are what the analyzer has learned of objects and packages. All units share their types, so that an object is the
// same to the unit that declares it and to those that use it.
type facts struct {
	mu sync.RWMutex
	m  map[factKey]analysis.Fact
}

type factKey struct {
	of   any // a types.Object or a *types.Package
	kind reflect.Type
}

func (f *facts) export(of any, fact analysis.Fact) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.m[factKey{of, reflect.TypeOf(fact)}] = fact
}

func (f *facts) load(of any, fact analysis.Fact) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	known, ok := f.m[factKey{of, reflect.TypeOf(fact)}]
	if ok {
		reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(known).Elem())
	}
	return ok
}

// analyze runs the analyzer on u.
func (r *run) analyze(u *unit) (found []analysis.Diagnostic, err error) {
	s, err := r.whole(u)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	pass := &analysis.Pass{
		Analyzer: r.Analyzer, Fset: r.fset, Files: s.files, OtherFiles: u.OtherFiles, IgnoredFiles: u.IgnoredFiles,
		Pkg: s.pkg, TypesInfo: s.info, TypesSizes: u.TypesSizes, ResultOf: make(map[*analysis.Analyzer]any),
		ReadFile: os.ReadFile,
		Report:   func(d analysis.Diagnostic) { found = append(found, d) },
		ExportObjectFact: func(obj types.Object, fact analysis.Fact) {
			u.facts = true
			r.facts.export(obj, fact)
		},
		ExportPackageFact: func(fact analysis.Fact) {
			u.facts = true
			r.facts.export(s.pkg, fact)
		},
		ImportObjectFact:  func(obj types.Object, fact analysis.Fact) bool { return r.facts.load(obj, fact) },
		ImportPackageFact: func(pkg *types.Package, fact analysis.Fact) bool { return r.facts.load(pkg, fact) },
	}
	_, err = r.Analyzer.Run(pass)
	return found, err
}
