package poolwatch

import (
	"runtime"
	"unsafe"
)

// The report is lines of JSON, each written as soon as it is known: a panic ends a
// process without a last word.

// Sink appends to the report file of this process. Package os sets it.
var sink func([]byte)

var pending []byte

// SetSink says how to write, which works from the initialization of package os on.
func SetSink(f func([]byte)) {
	if !Active {
		return
	}
	lock()
	defer unlock()
	sink = f
	flush()
}

func flush() {
	if sink != nil && len(pending) > 0 {
		sink(pending)
		pending = pending[:0]
	}
}

// A line is a JSON object that grows.
type line struct{ b []byte }

func begin(kind string) *line {
	l := &line{b: append(pending, '{')}
	l.str("k", kind)
	return l
}

func (l *line) end() {
	pending = append(l.b, '}', '\n')
	flush()
}

func (l *line) key(k string) {
	if l.b[len(l.b)-1] != '{' {
		l.b = append(l.b, ',')
	}
	l.b = append(append(append(l.b, '"'), k...), '"', ':')
}

func (l *line) str(k, v string) {
	l.key(k)
	l.b = appendString(l.b, v)
}

func (l *line) num(k string, v int) {
	l.key(k)
	l.b = appendInt(l.b, v)
}

// stack adds the frames of pcs outside of this package and of sync.Pool.
func (l *line) stack(k string, pcs []uintptr) {
	l.key(k)
	l.b = append(l.b, '[')
	frames := runtime.CallersFrames(pcs)
	for first := true; ; {
		f, more := frames.Next()
		if f.Function != "" && !prefix(f.Function, "internal/poolwatch.") && !prefix(f.Function, "sync.(*Pool)") {
			if !first {
				l.b = append(l.b, ',')
			}
			first = false
			l.b = append(l.b, '{')
			l.str("func", f.Function)
			l.str("file", f.File)
			l.num("line", f.Line)
			l.b = append(l.b, '}')
		}
		if !more {
			break
		}
	}
	l.b = append(l.b, ']')
}

func prefix(s, p string) bool { return len(s) >= len(p) && s[:len(p)] == p }

func appendInt(b []byte, v int) []byte {
	if v < 0 {
		return appendInt(append(b, '-'), -v)
	}
	if v >= 10 {
		b = appendInt(b, v/10)
	}
	return append(b, byte('0'+v%10))
}

const hex = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

func reportPlace(p *place) {
	l := begin("place")
	l.str("id", p.name)
	l.str("type", p.typ.name)
	l.stack("stack", p.stack)
	l.end()
}

// reported counts what was found, so that one cause is reported a few times and not more.
var reported table[int]

const sameMost = 8

func again(kind int, a, b *place) bool {
	key := uintptr(unsafe.Pointer(a))*31 + uintptr(unsafe.Pointer(b))*7 + uintptr(kind)
	n := reported.get(key)
	if n == nil {
		n = new(int)
		reported.set(key, n)
	}
	*n++
	return *n > sameMost
}

// reportDouble reports that what was put at first was put once more.
func reportDouble(first *entry, second *place, p *state) {
	if again(1, first.place, second) {
		return
	}
	l := begin("double")
	l.str("id", first.place.name)
	l.str("second", second.name)
	if first.owner != p {
		l.str("pool", "another")
	}
	var pcs [shownFrames]uintptr
	l.stack("stack", pcs[:runtime.Callers(5, pcs[:])])
	l.end()
}

// reportField reports that the struct changed after Put at an offset.
func reportField(e idleObject, off uintptr) {
	path, start, size := leaf(e.typ.typ, off, "")
	l := beginWrite(e, -1, path)
	if l == nil {
		return
	}
	if start+size > e.typ.size || size > 8 {
		start, size = off, 1
	}
	l.bytes("was", e.saved[start:start+size])
	l.bytes("now", bytesAt(unsafe.Add(e.base, start), size))
	l.end()
}

// reportBytes reports that a byte of a region changed after Put.
func reportBytes(e idleObject, r *region, at uintptr) {
	path := ""
	if r.field >= 0 {
		path = e.typ.fields[r.field].path
	} else {
		path, _, _ = leaf(e.typ.typ, e.typ.arrays[^r.field].off, "")
	}
	l := beginWrite(e, r.field, path)
	if l == nil {
		return
	}
	l.num("at", int(at))
	l.num("of", int(r.n))
	l.bytes("now", bytesAt(unsafe.Add(r.ptr, at), min(16, r.n-at)))
	l.end()
}

func beginWrite(e idleObject, field int, path string) *line {
	if again(2, e.place, nil) {
		return nil
	}
	l := begin("write")
	l.str("id", e.place.name)
	l.num("field", field)
	if field >= 0 && e.typ.fields[field].certain {
		l.num("certain", 1)
	}
	l.str("path", path)
	return l
}

func (l *line) bytes(k string, b []byte) {
	l.key(k)
	l.b = append(l.b, '"')
	for _, c := range b {
		l.b = append(l.b, hex[c>>4], hex[c&15])
	}
	l.b = append(l.b, '"')
}

func reportOwnership(kind string, p *place, field int) {
	l := begin(kind)
	l.str("id", p.name)
	l.num("field", field)
	l.end()
}

func reportEnd() {
	l := begin("end")
	l.num("puts", int(puts))
	l.num("dropped", int(drops))
	l.num("opaque", int(unknown))
	l.end()
}
