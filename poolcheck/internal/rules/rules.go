// Package rules says what is misuse of pooled memory, one file a code.
//
// # Map
//
//   - rules.go: what is done for all codes
//   - stays.go: OCT002, a struct of the caller still leads to it
//   - forgets.go: OCT003, a method that may be called again releases each time
//   - use.go: OCT001, used after the release
//   - alias.go: OCT002, an alias outlives the release
//   - double.go: OCT003, released twice
//   - leak.go: OCT004, not released on some path
//   - part.go: OCT006, a part released
//   - decided.go: releases that the program decides on
package rules

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// A Report is one misuse.
type Report struct {
	Code    string
	Pos     token.Pos
	Object  *domain.Object
	Name    string    // of the variable, "" if none is known
	Other   token.Pos // the release, or the return, that makes it wrong; none if there is none
	Before  bool      // Other is in an earlier round of the loop that Pos is in
	Dropped bool      // of a missing release: nothing uses what was acquired
	Loop    bool      // of a missing release: the loop acquires another
	Reads   bool      // of a use: it reads, and may be meant to
	Method  string    // of a second release: each call of this method makes one
	Why     string    // and why it does
	Steps   []Step    // from the acquisition to what is wrong
	// Fixable says of a missing release that a deferred one would mend it.
	Fixable bool

	loans *domain.Loan
}

// A Step is one of the things that happen to the memory.
type Step struct {
	Pos  token.Pos
	What Event
	Call string // the function that does it, if that is one of the package
	At   ssa.Instruction
}

// An Event is what happens in a step.
type Event uint8

const (
	Acquires Event = iota
	Ends           // what Other is
	Faults         // what is wrong
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

type checker struct {
	p       *contract.Package
	names   ir.Names
	reports []*Report
}

func (c *checker) check(t *contract.Trace) {
	for _, e := range t.Events {
		switch e.Kind {
		case contract.Uses:
			c.use(e)
		case contract.Keeps:
			c.kept(e)
		case contract.Releases:
			c.release(e)
		case contract.Again:
			c.again(t, e)
		}
	}
	c.outlives(t)
	c.stays(t)
	c.unforgotten(t)
	c.leaks(t)
}

// release reports what is wrong with a release: at most one thing.
func (c *checker) release(e contract.Event) {
	switch {
	case c.double(e), c.part(e):
	}
}

// report adds a report on o: at is what is wrong, and other, which may be nil, makes it so.
func (c *checker) report(code string, o *domain.Object, at, other ssa.Instruction) *Report {
	r := &Report{Code: code, Pos: position(at), Object: o, Name: c.names.Of(o.Site, o.Result)}
	if o.Kind == domain.Acquired {
		r.Steps = append(r.Steps, Step{Pos: o.Pos, What: Acquires, Call: o.Helper})
		if o.Inside.IsValid() {
			r.Steps = append(r.Steps, Step{Pos: o.Inside, What: Acquires})
		}
	}
	if other != nil {
		r.Other = position(other)
		r.Steps = append(r.Steps, c.steps(other, Ends)...)
	}
	r.Steps = append(r.Steps, c.steps(at, Faults)...)
	c.reports = append(c.reports, r)
	return r
}

// steps returns what happens at i, and if that is a call of a function of the package, where in there.
func (c *checker) steps(i ssa.Instruction, what Event) []Step {
	all := []Step{{Pos: position(i), What: what, At: i}}
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return all
	}
	fn := ir.Callee(call.Common())
	if fn == nil || len(fn.Blocks) == 0 || fn.Parent() != nil {
		return all
	}
	all[0].Call = fn.Name()
	t := c.p.Trace(fn)
	if t == nil {
		return all
	}
	for _, e := range t.Events {
		if e.Kind == contract.Releases && e.Ref.Obj.Param >= 0 {
			return append(all, Step{Pos: position(e.By), What: what, At: e.By})
		}
	}
	for _, param := range fn.Params {
		if uses := *param.Referrers(); len(uses) > 0 && ir.Carries(param.Type()) {
			return append(all, Step{Pos: position(uses[0]), What: what, At: uses[0]})
		}
	}
	return all
}

// position returns where i stands in the source, or what it works on.
func position(i ssa.Instruction) token.Pos {
	if p := i.Pos(); p.IsValid() {
		return p
	}
	for _, op := range i.Operands(nil) {
		if *op == nil {
			continue
		}
		if of, ok := (*op).(ssa.Instruction); ok {
			if p := position(of); p.IsValid() {
				return p
			}
		}
	}
	if ret, ok := i.(*ssa.Return); ok {
		if syntax := ret.Parent().Syntax(); syntax != nil {
			return syntax.End() - 1
		}
	}
	return i.Parent().Pos()
}
