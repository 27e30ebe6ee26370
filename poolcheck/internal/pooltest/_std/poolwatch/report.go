package poolwatch

import "runtime"

// The report is lines of words with tabs between, each line written as soon as it is
// known: a panic ends a process without a last word.

// sink appends to the report file of this process. Package os sets it.
var sink func([]byte)

var pending []byte

// SetSink says how to write, which works from the initialization of package os on.
func SetSink(f func([]byte)) {
	if Active {
		lock()
		sink = f
		flush()
		unlock()
	}
}

func flush() {
	if sink != nil && len(pending) > 0 {
		sink(pending)
		pending = pending[:0]
	}
}

func report(kind string, words ...string) {
	pending = append(pending, kind...)
	for _, w := range words {
		pending = append(append(pending, '\t'), w...)
	}
	pending = append(pending, '\n')
	flush()
}

// reportStack reports words and the frames of a stack outside of this package and of
// sync.Pool.
func reportStack(pcs []uintptr, kind string, words ...string) {
	frames := runtime.CallersFrames(pcs)
	for more := len(pcs) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function != "" && !prefix(f.Function, "internal/poolwatch.") && !prefix(f.Function, "sync.(*Pool)") {
			words = append(words, f.Function, f.File, Itoa(f.Line))
		}
	}
	report(kind, words...)
}

func prefix(s, p string) bool { return len(s) >= len(p) && s[:len(p)] == p }

// Itoa returns a number that is not negative in decimal.
func Itoa(n int) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}

// sameMost is how often one place is reported.
const sameMost = 8

// reportDouble reports that what was put at first is put once more.
func reportDouble(first *entry, p *state) {
	if first.place.doubles++; first.place.doubles > sameMost {
		return
	}
	which := "its"
	if first.owner != p {
		which = "another"
	}
	var pcs [shownFrames]uintptr
	reportStack(pcs[:runtime.Callers(5, pcs[:])], "double", first.place.name, which)
}

// reportWrite reports that a part of the object changed after Put: byte at of n, or all of it.
// The field is - for the struct itself.
func reportWrite(p *place, field, path string, at, n uintptr) {
	if p.writes++; p.writes <= sameMost {
		report("write", p.name, field, path, Itoa(int(at)), Itoa(int(n)))
	}
}
