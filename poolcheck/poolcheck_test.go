package poolcheck_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/octet-go/octet/poolcheck"
)

// The test programs are the specification: one package a class, one of idioms
// that stay silent, and the true faults of public modules. They are loaded
// together, since loading is what takes the time.
func TestPrograms(t *testing.T) {
	analysistest.Run(quiet{t}, analysistest.TestData(), poolcheck.New(),
		"oct001", "oct002", "oct003", "oct004/...", "oct005/...", "oct006", "oct007", "oct008",
		"silence", "owns", "others", "idioms", "found/...")
}

// The fixes give the golden files.
func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(quiet{t}, analysistest.TestData(), poolcheck.New(),
		"fix/paths", "fix/defers")
}

// quiet leaves out what analysistest says of facts: the test programs show
// them by what is reported in other packages that call them.
type quiet struct{ *testing.T }

func (q quiet) Errorf(format string, args ...any) {
	q.Helper()
	if msg := fmt.Sprintf(format, args...); !strings.Contains(msg, "unexpected fact") {
		q.T.Error(msg)
	}
}
