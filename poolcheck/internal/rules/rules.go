// Package rules says what is misuse of pooled memory, one file a code.
//
// # Map
//
//   - rules.go: all rules, in their order
//   - report.go: reports and their steps
//   - stays.go: OCT002, a struct of the caller still leads to it
//   - listed.go: OCT002, a map or a list of others still shows a part of it
//   - forgets.go: OCT003, a method that may be called again releases each time
//   - use.go: OCT001, used after the release
//   - alias.go: OCT002, an alias outlives the release
//   - double.go: OCT003, released twice
//   - leak.go: OCT004, not released on some path
//   - raced.go: OCT005, handed to a goroutine and released
//   - grown.go: OCT008, the old slice used or released after the append of the language
//   - part.go: OCT006, a part released
//   - decided.go: releases that the program decides on
package rules

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// Check returns what is wrong in fns.
func Check(p *contract.Package, fns []*ssa.Function, names ir.Names) []*Report {
	c := &checker{p: p, names: names}
	for _, fn := range fns {
		if p.Pooling(fn) {
			if t := p.Trace(fn); t != nil {
				c.check(t)
				t.Exits = nil // they have all that is known where the function ends
			}
		}
	}
	reports := slices.DeleteFunc(c.reports, func(r *Report) bool { return r.Object.Countless || !p.Borrows(r.loans) })
	slices.SortStableFunc(reports, func(a, b *Report) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Code, b.Code)) })
	return reports
}

func (c *checker) check(t *contract.Trace) {
	for _, e := range t.Events {
		switch e.Kind {
		case paths.Uses:
			c.use(e)
		case paths.Stale:
			c.stale(e)
		case paths.Keeps:
			c.kept(e)
		case paths.Releases, paths.Twice:
			c.release(e)
		case paths.Again:
			c.again(t, e)
		}
	}
	c.outlives(t)
	c.stays(t)
	c.unforgotten(t)
	c.leaks(t)
}

// release reports what is wrong with a release: at most one thing.
func (c *checker) release(e paths.Event) {
	switch {
	case c.double(e), c.part(e), c.raced(e), c.grown(e), c.listed(e):
	}
}
