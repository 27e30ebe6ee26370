package poolwatch

import (
	"internal/poolwatch/protocol"
	"internal/strconv"
	"slices"
	"unsafe"
)

const keyFrames = 5 // frames that tell one place from another

// A place is where objects of one type are put: some frames of the stack. Its name, five
// letters and digits, is the same in all runs of all programs.
type place struct {
	name    string
	pattern []byte // a tilde and the name, repeated
	poison  bool
	fields  []ownership // of the type's fields
	reports int
	typ     string
	stack   []string // function, file and line of each call
}

// ownership says whether a slice in a struct belongs to the struct. learn.go finds that out.
type ownership struct{ owned, foreign, seen bool }

// Active says whether this process is watched; if not, sync.Pool is as always. Sampling says that it is a program of
// poolcheck build, of which a few objects are watched.
var Active, Sampling bool

var (
	setup     *protocol.Setup // if Active
	places    table[place]
	allPlaces []*place
)

// records reports whether nothing of what the program sees is changed, but for plants.
func records() bool { return setup.Mode == protocol.Records || setup.Mode == protocol.Plants }

// placeOf returns the place of a Put of type t.
func placeOf(pcs []uintptr, t *typeInfo) *place {
	h := uint64(uintptr(unsafe.Pointer(t)))
	for _, pc := range pcs {
		h = (h ^ uint64(pc)) * 0x100000001b3
	}
	key := uintptr(h) | 1
	if p := places.get(key); p != nil {
		return p
	}
	stack := calls()
	p := &place{name: nameOfPlace(t, stack)}
	for len(p.pattern) < 1020 {
		p.pattern = append(append(p.pattern, '~'), p.name...)
	}
	p.poison = setup.Mode == protocol.Poison && (len(setup.Only) == 0 || slices.Contains(setup.Only, p.name)) && !slices.Contains(setup.Not, p.name)
	p.fields = make([]ownership, len(t.fields))
	for i := range t.fields {
		name := p.name + "." + strconv.Itoa(i)
		p.fields[i] = ownership{owned: slices.Contains(setup.Own, name), foreign: slices.Contains(setup.Deny, name)}
	}
	places.set(key, p)
	allPlaces = append(allPlaces, p)
	p.typ, p.stack = t.name, stack
	if !Sampling {
		report(protocol.Place, append([]string{p.name, t.name}, stack...)...)
	}
	return p
}

// nameOfPlace hashes the type and what the calls are called.
func nameOfPlace(t *typeInfo, stack []string) string {
	h := uint64(14695981039346656037)
	for i, word := range append([]string{t.name}, stack[:min(len(stack), 3*keyFrames)]...) {
		for j := range len(word) {
			if i%3 != 2 { // a file may be elsewhere
				h = (h ^ uint64(word[j])) * 1099511628211
			}
		}
	}
	h ^= h >> 29
	var name [5]byte
	for i := range name {
		name[i] = "abcdefghijklmnopqrstuvwxyz234567"[h&31]
		h >>= 5
	}
	return string(name[:])
}

// whole reports whether b is full of the place's poison.
func (p *place) whole(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), len(p.pattern))
		if asString(b[:n]) != asString(p.pattern[:n]) {
			return false
		}
		b = b[n:]
	}
	return true
}
