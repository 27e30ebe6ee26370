package poolwatch

import (
	"internal/poolwatch/protocol"
	"internal/race"
	"internal/strconv"
	"internal/stringslite"
	"internal/sync"
	"runtime"
)

// mu guards all of the state of this package.
var mu sync.Mutex

// lock locks mu without an edge that the race detector would see.
func lock() {
	if race.Enabled {
		race.Disable()
	}
	mu.Lock()
}

func unlock() {
	mu.Unlock()
	if race.Enabled {
		race.Enable()
	}
}

// Sink writes what this process reports. Package os sets it.
var Sink func([]byte)

var pending []byte

// write writes a text as soon as that is possible: a panic ends a process without a last word.
func write(text []byte) {
	pending = append(pending, text...)
	if Sink != nil {
		Sink(pending)
		pending = pending[:0]
	}
}

// report writes a line of a test binary's report.
func report(kind string, words ...string) {
	write(protocol.AppendLine(nil, kind, words...))
}

const shownFrames = 40 // of a stack in the report

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
