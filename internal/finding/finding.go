// Package finding says what a misuse of pooled memory was, in one form for all
// that find it.
package finding

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// A Code names a class of misuse; package checked describes them.
type Code string

// The classes that are found while a program runs.
const (
	UseAfterRelease Code = "OCT001"
	DoubleRelease   Code = "OCT003"
	Leak            Code = "OCT004"
	PartRelease     Code = "OCT006"
	ForeignRelease  Code = "OCT007"
	Overrun         Code = "OVERRUN"
)

// A Report is one finding. The stacks are program counters as runtime.Callers
// returns them, nil where the stack is not known. Code that is given a Report
// must not change it.
type Report struct {
	Code Code
	What string // the broken rule, in a few words: "released twice"

	Object string        // what it is about: "slice", "Buffer", "reader", "shared Buffer"
	Size   int           // capacity in bytes
	Pool   string        // the name of the pool; "" if it has none, or is not known
	Age    time.Duration // since it was acquired; 0 if that was not seen
	Idle   time.Duration // since it was released; 0 if it was not

	Acquired []uintptr
	Released []uintptr
	Now      []uintptr // where the misuse was found

	Count int // how often this was found, with this time; 0 if it is not counted
}

// Summary returns the first line: code and rule.
func (r *Report) Summary() string { return "octet: " + string(r.Code) + ": " + r.What }

// Error returns the whole text, of several lines.
func (r *Report) Error() string {
	var b strings.Builder
	b.WriteString(r.Summary())
	b.WriteString("\n" + r.subject())
	writeStack(&b, "acquired", r.Acquired)
	writeStack(&b, "released", r.Released)
	writeStack(&b, "now", r.Now)
	return b.String()
}

// subject describes the memory.
func (r *Report) subject() string {
	s := fmt.Sprintf("%s of %d bytes from ", r.Object, r.Size)
	if r.Pool != "" {
		s += fmt.Sprintf("pool %q", r.Pool)
	} else {
		s += "a pool without a name"
	}
	if r.Age > 0 {
		s += ", acquired " + short(r.Age) + " ago"
	}
	if r.Idle > 0 {
		s += ", released " + short(r.Idle) + " ago"
	}
	return s
}

// short returns d with three digits or so.
func short(d time.Duration) string {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// writeStack writes the frames of a stack in the manner of a traceback. Those of
// the runtime say nothing to a reader.
func writeStack(b *strings.Builder, title string, pcs []uintptr) {
	if len(pcs) == 0 {
		return
	}
	b.WriteString("\n" + title + ":")
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			fmt.Fprintf(b, "\n\t%s\n\t\t%s:%d", f.Function, f.File, f.Line)
		}
		if !more {
			return
		}
	}
}
