package contract

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// prompt has the packages whose functions wait for nobody. Whether others do is not known: even a write to a
// connection may be answered by whoever has been given the memory.
var prompt = map[string]bool{
	"bytes": true, "errors": true, "fmt": true, "log": true, "math": true, "slices": true, "maps": true, "sort": true,
	"strconv": true, "strings": true, "unicode": true, "unicode/utf8": true, "encoding/binary": true, "encoding/hex": true,
}

// waits reports whether c may wait until another goroutine is done with what it was given.
//
// Fixtures: oct005/waits.go.
func (p *Package) waits(c *ssa.CallCommon) bool {
	f := ir.Declared(c)
	if f == nil || f.Pkg() == nil {
		return true
	}
	if row := p.row(c); row != nil && (row.Family != api.Family{} || len(row.Effects) > 0 && row.Effects[0].Op == api.Spawn) {
		return false
	}
	path := f.Pkg().Path()
	if fn := ir.Callee(c); fn != nil && len(fn.Blocks) > 0 {
		return p.mayWait(fn)
	}
	return !prompt[path] && !p.poolPackages[path] && !(path == "sync" && (f.Name() == "Add" || strings.HasPrefix(f.Name(), "Unlock")))
}

// mayWait reports whether the body of fn may.
func (p *Package) mayWait(fn *ssa.Function) bool {
	if known, ok := p.waiting[fn]; ok {
		return known
	}
	p.waiting[fn] = false // of itself
	for i := range ir.Instructions(fn) {
		wait := false
		switch i := i.(type) {
		case *ssa.Send, *ssa.Select:
			wait = true
		case *ssa.UnOp:
			wait = i.Op == token.ARROW
		case *ssa.Call:
			_, builtin := i.Call.Value.(*ssa.Builtin)
			wait = !builtin && p.waits(&i.Call)
		case *ssa.Defer:
			_, builtin := i.Call.Value.(*ssa.Builtin)
			wait = !builtin && p.waits(&i.Call)
		}
		if wait {
			p.waiting[fn] = true
			return true
		}
	}
	return false
}
