package flow

import (
	"go/constant"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// An object is a piece of memory, or any other value that has to be told from
// others: one for each place of the program that makes one. Where such a place
// runs again, in a loop, the object of the round before lives on as the one
// with age 1.
type object struct {
	id     int
	kind   objectKind
	site   ssa.Value // what makes the object; nil for contents
	in     *context  // in which it is made
	part   string    // which part of the site's result
	parent *object   // for contents: the object whose cell they were found in
	path   string    // for contents: that cell
	age    int8

	at     place
	names  map[*context]string // what functions call it
	typ    types.Type
	acq    *acquisition     // non-nil if the site acquires pooled memory
	from   map[*object]bool // memory that an append has moved here
	lent   bool             // belongs to somebody else
	nonNil bool             // the receiver of a method that does not ask whether it has one
	taken  bool             // over from somebody else (taken.go)
	source types.Object     // the field, variable or method that it was taken from
	// message says that it is a struct, or a list, that came with the memory in it.
	message bool
	asked   bool    // for its type, after it was acquired: that may tell its pool
	list    *object // what it was an element of, if its index is not known
}

type objectKind uint8

const (
	unknownObject objectKind = iota
	localObject              // made by the function: an Alloc, a map, a closure, a channel
	inputObject              // a parameter or a captured variable
	globalObject
	contentObject // what a cell held before the function changed it
	pooledObject  // acquired from a pool
)

// An acquisition says where pooled memory came from.
type acquisition struct {
	family *api.Family
	pool   *pool
	dirty  bool // old bytes show
	// size is the length asked for, if it is a constant, and -1 if it is the
	// pool's own. If it is zero, the program may well fill the memory exactly.
	size int64
	call *ssa.CallCommon
}

// A rel says how a value relates to the memory of an object.
type rel uint8

const (
	whole rel = iota // points to its beginning, and is what a release wants
	part             // points into it, or has lost some of its capacity
	view             // shows it: a string, a reader, the bytes inside of a Buffer
	holds            // has it in an element or a captured variable
)

// A ref is one object that a value leads to.
type ref struct {
	obj  *object
	path string // the cell inside of obj that a pointer points to
	rel  rel
	cut  bool  // does not reach as far as the memory
	old  bool  // taken before the memory may have moved
	at   place // for holds: where it was stored, if it certainly was
}

// name returns what the function that runs in the context x calls o, "" if that
// is not known.
func (o *object) name(x *context) string {
	if name := o.names[x]; name != "" {
		return name
	}
	switch {
	case o.kind == globalObject:
		return o.names[nil]
	case o.parent != nil:
		if name := o.parent.name(x); name != "" {
			return name + strings.TrimSuffix(o.path, "[]")
		}
	}
	return ""
}

// call names o unless it has a name already.
func (o *object) call(x *context, name string) {
	if name != "" && o.name(x) == "" {
		if o.names == nil {
			o.names = make(map[*context]string)
		}
		o.names[x] = name
	}
}

// A known is what is known of a scalar: a constant, or not nil.
type known struct {
	kind knownKind
	val  string // for isConst: the constant in exact form
}

type knownKind uint8

const (
	anything knownKind = iota
	isNil
	nonNil
	isConst
)

var (
	knownNil    = known{kind: isNil}
	knownNonNil = known{kind: nonNil}
	knownTrue   = known{isConst, "true"}
	knownFalse  = known{isConst, "false"}
)

// A value is what a register or a memory cell holds. If its first ref is to
// the whole of an object, with an empty path, that object is the identity of
// the value: what becomes known of it is known of every copy.
type value struct {
	known known
	refs  []ref
	sub   map[string]value // the parts of a tuple or a struct
	stale bool             // for cells: somebody else may have written here
}

func (v value) identity() *object {
	if len(v.refs) > 0 && v.refs[0].rel == whole && v.refs[0].path == "" {
		return v.refs[0].obj
	}
	return nil
}

// memory returns the identity of v, or the array that v is a slice of.
func (v value) memory() *object {
	if len(v.refs) == 1 && v.refs[0].rel == whole && v.refs[0].path == "[:]" {
		return v.refs[0].obj
	}
	return v.identity()
}

func (v value) empty() bool {
	return v.known.kind == anything && len(v.refs) == 0 && len(v.sub) == 0 && !v.stale
}

// to returns a value that is o itself.
func to(o *object) value { return value{refs: []ref{{obj: o}}} }

// weaken returns the refs of v as seen through something of relation r.
func (v value) weaken(r rel, at place) []ref {
	refs := make([]ref, 0, len(v.refs))
	for _, x := range v.refs {
		if r == holds && (x.rel != holds || x.at.valid()) {
			x.at = at
		}
		x.rel = max(x.rel, r)
		refs = append(refs, x)
	}
	for _, k := range sortedKeys(v.sub) {
		refs = append(refs, v.sub[k].weaken(max(r, view), at)...)
	}
	return refs
}

// join returns a value that leads to what v and w lead to.
func (v value) join(refs []ref) value {
	out := v
	out.refs = slices.Clone(v.refs)
	for _, x := range refs {
		if !slices.Contains(out.refs, x) {
			out.refs = append(out.refs, x)
		}
	}
	return out
}

// all returns every ref of v and of its parts.
func (v value) all() []ref {
	if len(v.sub) == 0 {
		return v.refs
	}
	return v.weaken(whole, nowhere)
}

// leadsTo reports whether v, or a part of it, refers to o.
func (v value) leadsTo(o *object) bool {
	for _, x := range v.refs {
		if x.obj == o {
			return true
		}
	}
	for _, sub := range v.sub {
		if sub.leadsTo(o) {
			return true
		}
	}
	return false
}

// substitute returns v with every ref to old leading to new instead, or to
// nothing if new is nil.
func (v value) substitute(old, new *object) value {
	if !v.leadsTo(old) {
		return v
	}
	refs := make([]ref, 0, len(v.refs))
	for _, x := range v.refs {
		if x.obj == old {
			if new == nil {
				continue
			}
			x.obj = new
		}
		refs = append(refs, x)
	}
	v.refs = refs
	if len(v.sub) > 0 {
		sub := make(map[string]value, len(v.sub))
		for k, s := range v.sub {
			sub[k] = s.substitute(old, new)
		}
		v.sub = sub
	}
	return v
}

// appendTo appends a form of v that tells it from every other value.
func (v value) appendTo(b []byte) []byte {
	b = append(b, '0'+byte(v.known.kind))
	b = append(b, v.known.val...)
	if v.stale {
		b = append(b, '!')
	}
	for _, x := range v.refs {
		b = append(b, '(')
		b = strconv.AppendInt(b, int64(x.obj.id), 10)
		b = append(b, x.path...)
		b = append(b, '0'+byte(x.rel))
		b = appendFlags(b, x.cut, x.old)
		b = x.at.appendTo(b)
		b = append(b, ')')
	}
	for _, k := range sortedKeys(v.sub) {
		b = append(b, k...)
		b = append(b, ':')
		b = v.sub[k].appendTo(b)
	}
	return b
}

func appendNumber(b []byte, prefix byte, n int) []byte {
	return strconv.AppendInt(append(b, prefix), int64(n), 10)
}

func appendFlags(b []byte, flags ...bool) []byte {
	n := byte('@')
	for i, f := range flags {
		if f {
			n |= 1 << i
		}
	}
	return append(b, n)
}

func constantOf(c *ssa.Const) known {
	if c.Value == nil {
		if _, isStruct := c.Type().Underlying().(*types.Struct); isStruct {
			return known{}
		}
		return knownNil
	}
	if c.Value.Kind() == constant.Float || c.Value.Kind() == constant.Complex {
		return known{}
	}
	return known{isConst, c.Value.ExactString()}
}

func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
