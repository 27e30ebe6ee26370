package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A Package is what the functions of one package are explored with.
type Package struct {
	table     api.Table
	packages  map[string]bool // the pools' own, whose other functions borrow
	names     *Names
	prog      *ssa.Program
	annotated func(*types.Func, *ssa.CallCommon) *api.Func
	imported  func(*types.Func) *Summary

	annotatedType func(*ssa.CallCommon) *api.Func

	shapes    map[*ssa.Function]*shape
	constant  map[*ssa.Alloc]bool
	summaries map[*ssa.Function]*Summary
	reports   map[*ssa.Function][]*Report
	busy      map[*ssa.Function]bool
	heavy     map[*ssa.Function]bool // functions that took too much work with what they call
	depth     int
	allPools  map[any]*pool
	leaky     map[*ssa.Function]*explorer // of functions that may lose memory
	borrowers map[string][]outcome        // methods that borrow, as releases after a call have shown
	pools     map[*ssa.Function]bool      // functions that hand out or take back memory
	acquires  bool                        // some function hands out or takes back pooled memory
	muted     bool
	tasks     []*task

	visit       func(*ssa.Function) // finds out whether a function pools
	types       *types.Package
	functions   map[types.Object]*functionSet       // by the fields and variables that hold them
	implemented map[*types.Named][]types.Type       // by interface
	literals    map[*types.TypeName][]*ssa.Function // by the function type that they become
	assigned    map[*types.Var]bool                 // variables of the package, and fields in structs made elsewhere, that functions set
	looks       map[*types.Func]*api.Func           // what functions do by their looks
	passes      map[*ssa.Function]bool              // functions that return what was taken out of a channel
	putTypes    map[types.Object]bool               // types that are given back to something
	waits       map[*ssa.Function]bool              // functions that may wait for goroutines

	fieldFrees  map[*types.Var]map[*ssa.Function]token.Pos // where functions release what is in a field that an input leads to
	fills       map[*ssa.Function]map[*types.Var]place     // where methods put memory into fields of their receivers
	kept        map[*ssa.Function][]keeping                // releases of what a field goes on using
	inFields    map[*ssa.Function][]inField                // that a function may lose
	params      map[*ssa.Function][]leftParam              // that a function fails to release
	releasing   map[ssa.Value]bool                         // what was received and is released on every path
	handoffs    map[*ssa.Function][]handoff
	leaving     []*explorer // of functions that leave memory to others
	all         []*ssa.Function
	index       *uses                                       // of all
	counters    map[types.Object]map[*ssa.Function]*counter // by type
	sourceFreed map[types.Object]bool                       // fields, variables and methods: what is taken over from there is released
	owners      map[types.Object]bool                       // types whose values own memory
	given       map[*ssa.Parameter]bool                     // parameters that all callers give up
	callers     map[*ssa.Function][]ssa.CallInstruction
	contracts   map[*types.Func]bool // methods of interfaces, by whether an implementation hands out memory
}

// Config is what a Package needs to know of the world.
type Config struct {
	Table api.Table
	Names *Names
	Prog  *ssa.Program
	// Annotated returns what a comment says of a function, nil if there is
	// none.
	Annotated func(*types.Func, *ssa.CallCommon) *api.Func
	// AnnotatedType does the same for calls of function values.
	AnnotatedType func(*ssa.CallCommon) *api.Func
	// Imported returns the summary of a function of another package.
	Imported func(*types.Func) *Summary
}

// New returns a Package whose functions have not been explored yet.
func New(c Config) *Package {
	return &Package{
		table: c.Table, packages: c.Table.Packages(), names: c.Names, prog: c.Prog, annotated: c.Annotated, annotatedType: c.AnnotatedType,
		imported:  c.Imported,
		shapes:    make(map[*ssa.Function]*shape),
		constant:  make(map[*ssa.Alloc]bool),
		summaries: make(map[*ssa.Function]*Summary),
		reports:   make(map[*ssa.Function][]*Report),
		busy:      make(map[*ssa.Function]bool),
		heavy:     make(map[*ssa.Function]bool),
		borrowers: make(map[string][]outcome),
		allPools:  make(map[any]*pool),
		leaky:     make(map[*ssa.Function]*explorer),

		fieldFrees:  make(map[*types.Var]map[*ssa.Function]token.Pos),
		inFields:    make(map[*ssa.Function][]inField),
		fills:       make(map[*ssa.Function]map[*types.Var]place),
		kept:        make(map[*ssa.Function][]keeping),
		params:      make(map[*ssa.Function][]leftParam),
		releasing:   make(map[ssa.Value]bool),
		handoffs:    make(map[*ssa.Function][]handoff),
		sourceFreed: make(map[types.Object]bool),
		owners:      make(map[types.Object]bool),
		given:       make(map[*ssa.Parameter]bool),
		contracts:   make(map[*types.Func]bool),
		counters:    make(map[types.Object]map[*ssa.Function]*counter),
	}
}

// body returns the SSA function of f if its body is part of the program.
func (p *Package) body(f *types.Func) *ssa.Function {
	fn := p.prog.FuncValue(f)
	if fn == nil || len(fn.Blocks) == 0 {
		return nil
	}
	return fn
}

// Leaks returns the missing releases in fn, releases of what a field keeps, and uses of what
// was sent. What the package does elsewhere counts: all of its functions have been explored
// before.
func (p *Package) Leaks(fn *ssa.Function) []*Report {
	reports := slices.Concat(p.lostFields(fn), p.filledAgain(fn), p.lostParams(fn), p.foreignFields(fn), p.afterSending(fn))
	if e := p.leaky[fn]; e != nil {
		reports = append(reports, e.missing()...)
	}
	return reports
}

// Explore returns the misuses in fn, other than those that Leaks returns.
func (p *Package) Explore(fn *ssa.Function) []*Report {
	p.summary(fn)
	return p.reports[fn]
}

// Summary returns what callers need to know of fn, nil if that is not known.
func (p *Package) Summary(fn *ssa.Function) *Summary { return p.summary(fn) }

// Pooling reports whether fn, which was given to Select, hands out or takes
// back pooled memory.
func (p *Package) Pooling(fn *ssa.Function) bool { return p.pools[fn] }

// OfPooled reports whether f is a method of what the package gives back to a pool.
func (p *Package) OfPooled(f *types.Func) bool {
	recv := f.Signature().Recv()
	return recv != nil && elemOfPointer(recv.Type()) != nil && p.comesBack(recv.Type())
}

// Pools reports whether some explored function hands out or takes back pooled
// memory.
func (p *Package) Pools() bool { return p.acquires }

func (p *Package) summary(fn *ssa.Function) *Summary {
	if sum, ok := p.summaries[fn]; ok {
		return sum
	}
	if p.busy[fn] || p.depth > 40 || fn.Pkg == nil {
		return nil // recursion, or a wrapper of another package's method: nobody knows
	}
	p.busy[fn] = true
	p.depth++
	muted, tasks := p.muted, p.tasks
	p.muted, p.tasks = false, nil
	e := newExplorer(p, fn)
	exits := e.runAlone()
	var found []*Report
	if e.tooMany {
		found = e.certain()
		p.heavy[fn] = true
		e = newExplorer(p, fn)
		e.shallow = true
		exits = e.runAlone()
	}
	var sum *Summary
	if !e.tooMany {
		sum = e.summarize(exits)
		p.inFields[fn], p.kept[fn], p.params[fn] = e.leftInFields(exits), e.keptInFields(exits), e.leftParams(exits)
		for _, x := range exits {
			e.leave(x)
		}
		e.reports = append(e.reports, e.releasedAgain(exits)...)
		e.received()
		p.handoffs[fn] = e.handoffs
		if len(e.left) > 0 {
			p.leaving = append(p.leaving, e)
		}
	}
	p.reports[fn] = e.settle(found)
	if len(e.leaks) > 0 && !e.tooMany {
		p.leaky[fn] = e
	}
	p.muted, p.tasks = muted, tasks
	p.depth--
	delete(p.busy, fn)
	p.summaries[fn] = sum
	return sum
}

// runAlone runs the function by itself. Of its inputs nothing is known, except which of them its
// callers give up to it.
func (e *explorer) runAlone() []exit {
	s := newState()
	e.takeGiven(s)
	return e.run(e.fn, s)
}
