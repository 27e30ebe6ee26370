package poolwatch

import (
	"runtime"
	"unsafe"
)

const (
	keyFrames   = 5  // frames that tell one place from another
	shownFrames = 40 // frames of a stack in the report
	maxPlaces   = 1 << 14
)

// A place is where objects of one type are put: some frames of the stack. Its name, five
// letters and digits, is the same in all runs of all programs.
type place struct {
	name    string
	pattern []byte // a tilde and the name, repeated
	poison  bool
	known   bool // it has been reported
	stack   []uintptr
	typ     *typeInfo
	owned   []bool // by field
	denied  []bool
	learnt  []learnt
}

var (
	places   table[place]
	allNames []*place
	overflow place // for what comes after maxPlaces
)

// placeOf returns the place of a Put of type t.
func placeOf(pcs []uintptr, t *typeInfo) *place {
	key := uintptr(unsafe.Pointer(t))
	for _, pc := range pcs {
		key = (key ^ pc) * uintptr(0x100000001b3&(1<<(8*unsafe.Sizeof(key))-1))
	}
	key |= 1
	if p := places.get(key); p != nil {
		return p
	}
	if places.n >= maxPlaces {
		overflow.typ = t
		return &overflow
	}
	var deep [shownFrames + 4]uintptr
	p := &place{typ: t}
	p.stack = append(p.stack, deep[:runtime.Callers(4, deep[:])]...)
	p.name = nameOfPlace(pcs, t)
	for len(p.pattern) < 4092 {
		p.pattern = append(p.pattern, '~')
		p.pattern = append(p.pattern, p.name...)
	}
	p.poison = config.selects(p.name)
	p.owned = make([]bool, len(t.fields))
	p.denied = make([]bool, len(t.fields))
	p.learnt = make([]learnt, len(t.fields))
	for i := range t.fields {
		p.owned[i] = config.owned(p.name, i)
		p.denied[i] = config.denied(p.name, i)
	}
	places.set(key, p)
	allNames = append(allNames, p)
	reportPlace(p)
	return p
}

// nameOfPlace hashes what the frames are called.
func nameOfPlace(pcs []uintptr, t *typeInfo) string {
	h := uint64(14695981039346656037)
	add := func(s string) {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
	}
	add(t.name)
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		add(f.Function)
		h = (h ^ uint64(f.Line)) * 1099511628211
		if !more {
			break
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

func (p *place) owns(field int) bool   { return field < len(p.owned) && p.owned[field] }
func (p *place) denies(field int) bool { return field < len(p.denied) && p.denied[field] }

// whole reports whether b is full of the place's poison, or else where it is not.
func (p *place) whole(b []byte) (at uintptr, ok bool) {
	for len(b) > 0 {
		n := min(len(b), len(p.pattern))
		if string(b[:n]) != string(p.pattern[:n]) {
			return at + difference(b[:n], p.pattern[:n]), false
		}
		b = b[n:]
		at += uintptr(n)
	}
	return 0, true
}
