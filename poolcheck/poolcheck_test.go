package poolcheck_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/octet-go/octet/poolcheck"
	"github.com/octet-go/octet/poolcheck/internal/api"
)

// The test programs are the specification: one package a class, those of idioms and
// look-alikes that stay silent, and the true faults of public modules. They are loaded
// together, since loading is what takes the time.
func TestPrograms(t *testing.T) {
	analysistest.Run(quiet{t}, analysistest.TestData(), ofAll(t),
		"oct001", "oct002", "oct003", "oct004/...", "oct005", "oct006", "oct008", "oct011",
		"silence", "owns", "others", "idioms", "alike/...", "found/...")
}

// What is known of a wrapper in another package has the whole family of its pool, also one that is named
// nowhere but in the rows: the first function of unlisted/use is reported because that one is counted.
func TestFamilyOfAnotherPackage(t *testing.T) {
	table, unlisted := api.New(), api.Family{Name: "unlisted", Counted: true}
	table["unlisted/pool.Get"] = &api.Func{Family: unlisted, Effects: []api.Effect{{Op: api.Acquire}}}
	table["unlisted/pool.Put"] = &api.Func{Family: unlisted, Effects: []api.Effect{{Op: api.Release}}}
	analysistest.Run(quiet{t}, analysistest.TestData(), poolcheck.NewOfTable(table), "unlisted/use")
}

// The fixes give the golden files.
func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(quiet{t}, analysistest.TestData(), ofAll(t),
		"fix/defers")
}

// By default, what corrupts is reported, and leaks where somebody counts.
func TestDefaults(t *testing.T) {
	analysistest.Run(quiet{t}, analysistest.TestData(), poolcheck.New(), "defaults")
}

// ofAll returns a checker of all codes.
func ofAll(t *testing.T) *analysis.Analyzer {
	a := poolcheck.New()
	if err := a.Flags.Set("codes", "all"); err != nil {
		t.Fatal(err)
	}
	return a
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

// Each layer has a map of its files, and imports only those before it.
func TestLayers(t *testing.T) {
	layers := []string{"api", "ir", "domain", "paths", "contract", "rules"}
	for i, layer := range layers {
		names, err := filepath.Glob(filepath.Join("internal", layer, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no files: %v", layer, err)
		}
		var all strings.Builder
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
			for _, later := range layers[i+1:] {
				if strings.Contains(string(text), `poolcheck/internal/`+later+`"`) {
					t.Errorf("%s imports %s, which is a later layer", name, later)
				}
			}
		}
		for _, name := range names {
			file := filepath.Base(name)
			if strings.Contains(all.String(), "# Map") && !strings.HasSuffix(file, "_test.go") && !strings.Contains(all.String(), "//   - "+file+":") {
				t.Errorf("the map of %s lacks %s", layer, file)
			}
		}
	}
}
