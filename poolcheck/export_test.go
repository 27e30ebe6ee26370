package poolcheck

import (
	"golang.org/x/tools/go/analysis"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// NewOfTable returns a checker that knows what is in table.
func NewOfTable(table api.Table) *analysis.Analyzer {
	c := &checker{table: table}
	c.once.Do(func() {})
	return c.analyzer()
}
