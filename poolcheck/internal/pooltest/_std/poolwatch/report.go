package poolwatch

import (
	"internal/strconv"
	"internal/stringslite"
	"runtime"
)

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
		if f.Function != "" && !stringslite.HasPrefix(f.Function, "internal/poolwatch.") && !stringslite.HasPrefix(f.Function, "sync.(*Pool)") {
			words = append(words, f.Function, f.File, strconv.Itoa(f.Line))
		}
	}
	report(kind, words...)
}

// sameMost is how often one place is reported.
const sameMost = 8

// reportDouble reports that what was put at a place is put once more.
func reportDouble(p *place) {
	if p.doubles++; p.doubles <= sameMost {
		var pcs [shownFrames]uintptr
		reportStack(pcs[:runtime.Callers(5, pcs[:])], "double", p.name)
	}
}

// reportWrite reports that a part of the object changed after Put: byte at of n, or all of it.
// The field is - for the struct itself.
func reportWrite(p *place, field, path string, at, n uintptr) {
	if p.writes++; p.writes <= sameMost {
		report("write", p.name, field, path, strconv.Itoa(int(at)), strconv.Itoa(int(n)))
	}
}
