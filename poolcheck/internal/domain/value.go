// Package domain has what is known of pooled memory at one point of one path: objects, how
// values relate to them, where they are in their lives, and how two states are merged.
//
// # Map
//
//   - value.go: objects, and values in terms of them
//   - state.go: the lives of objects, the cells of memory, deferred calls
//   - map.go: maps that share their content with their copies
//   - merge.go: which states are alike, and what both of two know
package domain

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A Kind says where an object comes from.
type Kind uint8

const (
	Local    Kind = iota // made by the function
	Input                // what a parameter, or a captured or global variable leads to
	Loaded               // read out of a cell of an input
	Acquired             // handed out by a pool, or a new counted value
)

// An Object is the memory that one place of the program makes, reads or is given.
type Object struct {
	ID     int
	Kind   Kind
	Site   ssa.Value
	Type   types.Type
	Pos    token.Pos
	Result int // of the call that is Site, which result it is
	Family api.Family
	Pool   types.Object // the variable or field that is the pool, nil if it is not known
	Param  int          // of an input, which parameter it is, or -1
	Helper string       // of an acquired object, the function of the package that acquires it, if one does
	Inside token.Pos    // and where in there
	// Countless says that references to it were added in a loop. How many there are is then not known on any
	// way: where the loop does not run, another that gives them back does not run either.
	Countless bool
	// Fails is the call that handed out the object and returns an error beside it, nil if none does.
	Fails ssa.Value
}

// A Rel says how a value relates to an object.
type Rel uint8

const (
	Whole  Rel = iota // the value is the object
	Part              // a part of it that begins later or has less capacity
	Inside            // a struct or the like that has it
	View              // something that shows its memory, such as a string or a field
	Addr              // the address of a cell in it
	Fault             // an error that a method of it has returned
)

// A Ref is a relation to an object, by a cell of it for View and Addr.
type Ref struct {
	Obj  *Object
	Rel  Rel
	Path string
	// Old says that the value was there before an append that may have moved the content.
	Old bool
}

// A Fact is what is known of a value beside its references.
type Fact uint8

const (
	Unknown Fact = iota
	Nil
	NonNil
	True
	False
	// Case plus k says that it is k, a small number or the index of a case; -1 stands for a default.
	Case Fact = 64
)

// Not returns the opposite of f.
func (f Fact) Not() Fact {
	switch f {
	case Nil:
		return NonNil
	case NonNil:
		return Nil
	case True:
		return False
	case False:
		return True
	}
	return Unknown // of a Case, too
}

// A Value is what is known of a register or a cell: the objects that it may lead to, and a fact.
type Value struct {
	Refs []Ref
	Fact Fact
}

// Of returns a value that is the object.
func Of(o *Object) Value { return Value{Refs: []Ref{{Obj: o}}} }

// Empty reports whether nothing is known.
func (v Value) Empty() bool { return len(v.Refs) == 0 && v.Fact == Unknown }

// Single returns the only reference of v.
func (v Value) Single() (Ref, bool) {
	if len(v.Refs) == 1 {
		return v.Refs[0], true
	}
	return Ref{}, false
}

// As returns v with its references, except addresses, weakened to rel.
func (v Value) As(rel Rel) Value {
	refs := slices.Clone(v.Refs)
	for i := range refs {
		if refs[i].Rel < rel {
			refs[i].Rel = rel
		}
	}
	return Value{Refs: refs, Fact: v.Fact}
}

// Shown returns v as what shows the memory of what v leads to: also the address of a field shows what the field has.
func (v Value) Shown() Value {
	v = v.As(View)
	for i := range v.Refs {
		if v.Refs[i].Rel == Addr && v.Refs[i].Obj.Kind != Local {
			v.Refs[i].Rel = View
		}
	}
	return v
}

// Join returns what leads to the objects of both.
func (v Value) Join(w Value) Value {
	out := Value{Refs: slices.Clone(v.Refs)}
	for _, r := range w.Refs {
		if !slices.Contains(out.Refs, r) {
			out.Refs = append(out.Refs, r)
		}
	}
	if v.Fact == w.Fact {
		out.Fact = v.Fact
	}
	return out
}

// Mentions reports whether v leads to o.
func (v Value) Mentions(o *Object) bool {
	return slices.ContainsFunc(v.Refs, func(r Ref) bool { return r.Obj == o })
}
