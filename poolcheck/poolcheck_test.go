package poolcheck_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/octet-go/octet/poolcheck"
)

// Each package is the specification of one class.
func TestClasses(t *testing.T) {
	for _, pkg := range []string{
		"oct001", "oct002", "oct003", "oct004", "oct005", "oct006", "oct007", "oct008", "oct009",
		"silence", "owns", "idioms",
	} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.Run(quiet{t}, analysistest.TestData(), poolcheck.New(), pkg)
		})
	}
}

// The fixes give the golden files.
func TestFixes(t *testing.T) {
	for _, pkg := range []string{"fix/paths", "fix/defers", "fix/boxed"} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.RunWithSuggestedFixes(quiet{t}, analysistest.TestData(), poolcheck.New(), pkg)
		})
	}
}

// quiet leaves out what analysistest says of facts: the test programs show
// them by what callers in other packages are told.
type quiet struct{ *testing.T }

func (q quiet) Errorf(format string, args ...any) {
	q.Helper()
	if msg := fmt.Sprintf(format, args...); !strings.Contains(msg, "unexpected fact") {
		q.T.Error(msg)
	}
}
