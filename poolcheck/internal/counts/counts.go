package counts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// A Package is what the functions of one package are checked with.
type Package struct {
	types     *types.Package
	names     *flow.Names
	prog      *ssa.Program
	imported  func(*types.Func) *Contract
	counted   map[*types.TypeName]bool
	counters  map[*types.Var]bool
	contracts map[*ssa.Function]*Contract
	methods   map[method]*Contract
	busy      map[*ssa.Function]bool
	reports   map[*ssa.Function][]*flow.Report
	named     []types.Type // of the package, and pointers to them
}

// A method is one of an interface.
type method struct {
	iface *types.Interface
	f     *types.Func
}

// New returns a Package of the functions fns. imported returns the contract of a function of
// another package, nil if that is not known.
func New(pkg *ssa.Package, fns []*ssa.Function, names *flow.Names, imported func(*types.Func) *Contract) *Package {
	p := &Package{
		types: pkg.Pkg, names: names, prog: pkg.Prog, imported: imported,
		counted:   make(map[*types.TypeName]bool),
		counters:  make(map[*types.Var]bool),
		contracts: make(map[*ssa.Function]*Contract),
		methods:   make(map[method]*Contract),
		busy:      make(map[*ssa.Function]bool),
		reports:   make(map[*ssa.Function][]*flow.Report),
	}
	scope := pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || types.IsInterface(obj.Type()) {
			continue
		}
		if named, ok := obj.Type().(*types.Named); ok && named.TypeParams() == nil {
			p.named = append(p.named, named, types.NewPointer(named))
		}
	}
	p.collectCounters(fns)
	return p
}

// Check returns what is wrong in fn.
func (p *Package) Check(fn *ssa.Function) []*flow.Report {
	if p.mentionsCounted(fn) {
		p.contract(fn)
	}
	return p.reports[fn]
}

// Contract returns what fn promises its callers, nil if it has nothing to do with counted values.
func (p *Package) Contract(fn *ssa.Function) *Contract {
	if !p.signatureCounts(fn.Signature) {
		return nil
	}
	return p.contract(fn)
}

// signatureCounts reports whether a parameter or a result of sig is followed.
func (p *Package) signatureCounts(sig *types.Signature) bool {
	if recv := sig.Recv(); recv != nil && p.follows(recv.Type()) {
		return true
	}
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			if p.follows(v.Type()) {
				return true
			}
		}
	}
	return false
}

// mentionsCounted reports whether fn has to do with counted values.
func (p *Package) mentionsCounted(fn *ssa.Function) bool {
	if p.signatureCounts(fn.Signature) {
		return true
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if v, ok := instr.(ssa.Value); ok && p.mentioned(v.Type()) {
				return true
			}
		}
	}
	return false
}

func (p *Package) mentioned(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			if p.follows(v.Type()) {
				return true
			}
		}
		return false
	}
	return t != nil && p.follows(t)
}
