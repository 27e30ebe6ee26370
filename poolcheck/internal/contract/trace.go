package contract

import (
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// A Trace is what an exploration of a function has found.
type Trace struct {
	Events  []paths.Event
	Exits   []paths.Exit // of a function that is pooling
	Summary *Summary
}

// Trace explores fn, once. It returns nil while that goes on, and if fn is too much.
func (p *Package) Trace(fn *ssa.Function) *Trace {
	if t, ok := p.traces[fn]; ok {
		return t
	}
	p.traces[fn] = nil
	if len(fn.Blocks) == 0 || len(fn.Blocks) > paths.MaxBlocks {
		return nil
	}
	r := newRun(p)
	exits := r.Explore(fn)
	var t *Trace
	if !r.TooMuch {
		t = &Trace{Events: r.Events, Summary: r.summarize(exits)}
		if p.pooling[fn] {
			t.Exits = exits
		}
	}
	p.traces[fn] = t
	return t
}
