package rules

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
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

type checker struct {
	p       *contract.Package
	names   ir.Names
	reports []*Report
}

// report adds a report on o: at is what is wrong, and other, which may be nil, makes it so.
func (c *checker) report(code string, o *domain.Object, at, other ssa.Instruction) *Report {
	if o.Family == api.Windows {
		code = "OCT011"
	}
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
		if e.Kind == paths.Releases && e.Ref.Obj.Param >= 0 {
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
