package poolcheck

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/counts"
	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// A contractFact is what a function of another package does to references to counted values.
type contractFact struct{ Contract *counts.Contract }

func (*contractFact) AFact()           {}
func (f *contractFact) String() string { return fmt.Sprintf("counts%+v", *f.Contract) }

// countReferences returns the references to counted values that fns lose or release twice. It
// exports what exported functions do to them, and reports whether one of them gives its callers
// references.
func countReferences(pass *analysis.Pass, pkg *ssa.Package, fns []*ssa.Function, names *flow.Names) (reports []*flow.Report, gives bool) {
	p := counts.New(pkg, fns, names, func(f *types.Func) *counts.Contract {
		var fact contractFact
		if f.Pkg() != pass.Pkg && pass.ImportObjectFact(f, &fact) {
			return fact.Contract
		}
		return nil
	})
	for _, fn := range fns {
		reports = append(reports, p.Check(fn)...)
	}
	for _, fn := range fns {
		f, ok := fn.Object().(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		if c := p.Contract(fn); c != nil {
			pass.ExportObjectFact(f, &contractFact{c})
			gives = gives || slices.Contains(c.Results, counts.Owned)
		}
	}
	return reports, gives
}
