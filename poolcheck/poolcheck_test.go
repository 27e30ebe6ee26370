package poolcheck_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/octet-go/octet/poolcheck"
)

// Each package is the specification of one class.
func TestClasses(t *testing.T) {
	for _, pkg := range []string{
		"oct001", "oct002", "oct003", "oct004", "oct005", "oct006", "oct007", "oct008", "oct009",
		"silence", "owns",
	} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), poolcheck.New(), pkg)
		})
	}
}

// The fixes give the golden files.
func TestFixes(t *testing.T) {
	for _, pkg := range []string{"fix/paths", "fix/defers", "fix/boxed"} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), poolcheck.New(), pkg)
		})
	}
}
