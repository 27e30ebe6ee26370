package poolcheck

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// neverReset reports pools whose objects nobody in the package ever resets.
func neverReset(pass *analysis.Pass, pkg *ssa.Package, names *flow.Names) []*flow.Report {
	return nil
}
