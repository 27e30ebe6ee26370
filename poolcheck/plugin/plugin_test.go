package plugin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	_ "github.com/octet-go/octet/poolcheck/plugin"
)

// golangci-lint finds the plugin by its name, and passes it settings as its
// YAML reader leaves them.
func TestPlugin(t *testing.T) {
	table := filepath.Join(t.TempDir(), "pools.txt")
	rows := "acquire own.take\nrelease own.give 0\n"
	if err := os.WriteFile(table, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	a := analyzer(t, map[string]any{"table": []any{table}})
	dir, clean, err := analysistest.WriteFiles(map[string]string{"own/own.go": `package own

func take() []byte { return nil }
func give([]byte)  {}

func misuse() byte {
	b := take()
	give(b)
	return b[0] // want "OCT001: b is used after its release"
}
`})
	if err != nil {
		t.Fatal(err)
	}
	defer clean()
	for _, r := range analysistest.Run(t, dir, a, "own") {
		for _, d := range r.Diagnostics {
			if len(d.Related) > 0 {
				t.Errorf("%s: %d related positions", d.Message, len(d.Related))
			}
		}
	}
}

func TestPluginRefusesSettings(t *testing.T) {
	build, err := register.GetPlugin("poolcheck")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build(map[string]any{"table": 7}); err == nil {
		t.Error("a number as table was taken")
	}
}

func analyzer(t *testing.T, settings any) *analysis.Analyzer {
	t.Helper()
	build, err := register.GetPlugin("poolcheck")
	if err != nil {
		t.Fatal(err)
	}
	p, err := build(settings)
	if err != nil {
		t.Fatal(err)
	}
	analyzers, err := p.BuildAnalyzers()
	if err != nil || len(analyzers) != 1 {
		t.Fatalf("%d analyzers, %v", len(analyzers), err)
	}
	if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("load mode %q", mode)
	}
	return analyzers[0]
}
