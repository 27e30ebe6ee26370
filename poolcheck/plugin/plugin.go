// Package plugin makes poolcheck a module plugin of golangci-lint. A file
// .custom-gcl.yml builds a golangci-lint with it:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/octet-go/octet/poolcheck
//	    import: github.com/octet-go/octet/poolcheck/plugin
//	    version: latest
//
// and .golangci.yml turns it on:
//
//	version: "2"
//	linters:
//	  enable: [poolcheck]
//	  settings:
//	    custom:
//	      poolcheck:
//	        type: module
//	        description: misuse of pooled memory
//	        settings:
//	          table: [pools.txt]
package plugin

import (
	"fmt"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/octet-go/octet/poolcheck"
)

func init() { register.Plugin("poolcheck", New) }

// Settings are what .golangci.yml may say.
type Settings struct {
	// Table names files with further functions that acquire and release
	// memory.
	Table []string `json:"table"`
}

// New returns the plugin for settings as golangci-lint has read them.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("poolcheck: %w", err)
	}
	return &plugin{s}, nil
}

type plugin struct{ settings Settings }

// BuildAnalyzers returns the one analyzer. golangci-lint makes an issue of its own
// of each related position, which would have to be silenced, too; messages name
// these lines anyway.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	a := poolcheck.New()
	if err := a.Flags.Set("table", strings.Join(p.settings.Table, ",")); err != nil {
		return nil, err
	}
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		bare := *pass
		bare.Report = func(d analysis.Diagnostic) {
			d.Related = nil
			pass.Report(d)
		}
		return run(&bare)
	}
	return []*analysis.Analyzer{a}, nil
}

// GetLoadMode says that the analyzer wants types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
