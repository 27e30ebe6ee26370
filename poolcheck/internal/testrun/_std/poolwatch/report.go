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
	lock()
	sink = f
	unlock()
}

func report(kind string, words ...string) {
	if Sampling {
		return // finding.go says what there is
	}
	pending = append(pending, kind...)
	for _, w := range words {
		pending = append(append(pending, '\t'), w...)
	}
	pending = append(pending, '\n')
	if sink != nil {
		sink(pending)
		pending = pending[:0]
	}
}

// calls returns the stack outside of this package and of sync.Pool: function, file and line
// of each call.
func calls() (words []string) {
	var pcs [shownFrames]uintptr
	return frames(pcs[:runtime.Callers(3, pcs[:])])
}

func frames(pcs []uintptr) (words []string) {
	frames := runtime.CallersFrames(pcs)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function != "" && !stringslite.HasPrefix(f.Function, "internal/poolwatch.") && !stringslite.HasPrefix(f.Function, "sync.(*Pool)") {
			words = append(words, f.Function, f.File, strconv.Itoa(f.Line))
		}
	}
	return words
}

// again reports whether what happened at a place once more is to be reported.
func (p *place) again() bool {
	p.reports++
	return p.reports <= 8
}
