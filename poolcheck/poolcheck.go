// Package poolcheck finds misuse of pooled memory: slices and buffers that are
// used after they went back to their pool, that outlive it, go back twice,
// never, or in part.
//
// It knows the pools of this module and those that they succeed, sync.Pool,
// httputil.BufferPool, and some of other modules, which README lists; users add more
// with the flag -table. It follows memory within a function, and through the functions of its
// package that it calls. Where it is not sure it says nothing.
//
// [Classes] lists what it reports; [Page] returns the page that explains a code.
package poolcheck

import (
	"fmt"
	"go/types"
	"os"
	"reflect"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/rules"
)

// Analyzer is the checker, for drivers of golang.org/x/tools/go/analysis.
var Analyzer = New()

// New returns a checker with flags of its own.
func New() *analysis.Analyzer { return new(checker).analyzer() }

// analyzer returns the analyzer that c runs.
func (c *checker) analyzer() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name: "poolcheck",
		Doc: `report misuse of pooled memory

Poolcheck follows slices and buffers from the pool that hands them out to the
pool that takes them back, and reports uses after the release (OCT001), what
outlives it (OCT002), second releases (OCT003), missing ones where somebody
counts (OCT004), of what was handed to a goroutine (OCT005), of parts (OCT006), and of memory that an append
has moved (OCT008), and what a StreamDecoder has shown and overwritten (OCT011).`,
		URL:        docs,
		Run:        c.run,
		ResultType: reflect.TypeFor[struct{}](),
		FactTypes:  []analysis.Fact{new(functionFact), new(poolFact)},
	}
	a.Flags.StringVar(&c.tables, "table", "", "comma-separated `files` of functions that acquire and release memory")
	a.Flags.String("tablesum", "", "checksum of the files of -table: the go command keeps results until a flag changes")
	a.Flags.String("patterns", "", "checksum of the patterns of the packages: the go command takes an import for checked")
	a.Flags.StringVar(&c.codes, "codes", "", CodesUsage)
	a.Flags.BoolVar(&c.standard, "std", false, "check the standard library, too, where it is among the packages")
	return a
}

// CodesUsage is what the flag -codes says of itself.
const CodesUsage = "report only these `codes`, with commas between, such as OCT001,OCT003, or all; " +
	"without the flag, OCT004 is left out where nobody counts the memory, as that of a sync.Pool"

// A checker is one configuration of the analyzer.
type checker struct {
	tables   string
	codes    string
	standard bool

	once  sync.Once // reads the table, when the flags have been parsed
	table api.Table
	err   error
}

// A functionFact is what a function of another package does, or those of a function type, as a row of the table.
type functionFact struct{ api.Func }

// A poolFact marks a package whose functions hand out or take back memory, or references to it.
type poolFact struct{}

func (*functionFact) AFact()           {}
func (f *functionFact) String() string { return fmt.Sprintf("does%+v", f.Func) }
func (*poolFact) AFact()               {}
func (*poolFact) String() string       { return "pools" }

func (c *checker) run(pass *analysis.Pass) (any, error) {
	table, err := c.load()
	if err != nil {
		return nil, err
	}
	wanted, err := ParseCodes(c.codes)
	if err != nil {
		return nil, fmt.Errorf("poolcheck: -codes: %w", err)
	}
	comments := readComments(pass)
	comments.export(pass)
	standard := api.Standard(pass.Pkg.Path())
	if standard && !c.standard || !relevant(pass, table) {
		comments.report(pass, nil)
		return struct{}{}, nil
	}
	pkg := build(pass)
	fns := ir.Functions(pkg, pass.Files, pass.TypesInfo)
	p := contract.New(contract.Config{
		Table: table, Package: pass.Pkg, Functions: fns,
		Declared: func(obj types.Object) *api.Func { return comments.declared(pass, obj) },
	})
	reports := rules.Check(p, fns, pass.Files)
	if !standard {
		export(pass, p, fns, comments)
	}
	comments.report(pass, diagnostics(pass, reports, wanted))
	return struct{}{}, nil
}

// export makes known to other packages which exported functions hand out or take back memory, unless comments do.
func export(pass *analysis.Pass, p *contract.Package, fns []*ssa.Function, comments *comments) {
	pools := false
	for _, fn := range fns {
		f, ok := fn.Object().(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		if row := p.Row(fn); row != nil {
			pools = true
			if comments.facts[f] == nil {
				pass.ExportObjectFact(f, &functionFact{*row})
			}
		}
	}
	if pools {
		pass.ExportPackageFact(&poolFact{})
	}
}

// load returns the table with the rows of the named files.
func (c *checker) load() (api.Table, error) {
	c.once.Do(func() {
		c.table = api.New()
		for _, name := range strings.FieldsFunc(c.tables, func(r rune) bool { return r == ',' }) {
			text, err := os.ReadFile(name)
			if err == nil {
				err = c.table.Extend(string(text))
			}
			if err != nil {
				c.err = fmt.Errorf("poolcheck: -table: %s: %w", name, err)
				return
			}
		}
	})
	return c.table, c.err
}
