// Package finding describes a misuse of pooled memory, in one form for all who
// find it.
//
// Its types are public under the names that package checked gives them: programs
// write checked.Report and checked.Code. They are declared here, below the packages
// that find misuse, so that a panic has one type whether or not the program imports
// checked.
package finding

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"
)

// A Code names a class of misuse. docs/CHECKED.md of the module describes all
// classes, also those that only package poolcheck finds.
type Code string

// The classes that are found while a program runs.
const (
	UseAfterRelease Code = "OCT001"  // read or written after its release
	DoubleRelease   Code = "OCT003"  // released twice
	Leak            Code = "OCT004"  // collected, and never released
	PartRelease     Code = "OCT006"  // released in part: b[n:] or b[i:j]
	ForeignRelease  Code = "OCT007"  // released where it does not belong
	Overrun         Code = "OVERRUN" // accessed beyond its end
)

// A Report describes one misuse. It is the value of the panic, an error, and what
// a handler gets. A handler may keep it, and must not change it.
//
// A stack is program counters as [runtime.Callers] returns them, for
// [runtime.CallersFrames]; nil if it is not known. It begins at the function of
// octet that the program called.
type Report struct {
	Code Code
	What string // the broken rule in a few words, such as "released twice"

	Object string        // what was misused: "slice", "Buffer" or "reader"
	Size   int           // its capacity in bytes
	Pool   string        // the name of its pool; "" if that has none
	Age    time.Duration // since it was acquired; 0 if that was not seen
	Idle   time.Duration // since it was released; 0 if it was not

	Acquired []uintptr // where it was acquired
	Released []uintptr // where it was released
	Now      []uintptr // where the misuse was found

	Count int // how often this misuse was found, with this time; 0 if it is not counted
}

// Summary returns the first line of the report, with the code and the rule.
func (r *Report) Summary() string { return "octet: " + string(r.Code) + ": " + r.What }

// Error returns the report as text of several lines, with the stacks.
func (r *Report) Error() string {
	var b strings.Builder
	b.WriteString(r.Summary())
	b.WriteString("\n" + r.subject())
	for _, s := range r.stacks() {
		if lines := describe(s.pcs); len(lines) > 0 {
			b.WriteString("\n" + s.title + ":")
			for _, l := range lines {
				b.WriteString("\n\t" + l.function + "\n\t\t" + l.place)
			}
		}
	}
	return b.String()
}

// LogValue implements [slog.LogValuer]: a group of the fields that are known, in
// which a stack is a list of functions and places.
func (r *Report) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("code", string(r.Code)), slog.String("what", r.What),
		slog.String("object", r.Object), slog.Int("size", r.Size), slog.String("pool", r.Pool)}
	if r.Age > 0 {
		attrs = append(attrs, slog.Duration("age", r.Age))
	}
	if r.Idle > 0 {
		attrs = append(attrs, slog.Duration("idle", r.Idle))
	}
	if r.Count > 0 {
		attrs = append(attrs, slog.Int("count", r.Count))
	}
	for _, s := range r.stacks() {
		var list []string
		for _, l := range describe(s.pcs) {
			list = append(list, l.function+" "+l.place)
		}
		if list != nil {
			attrs = append(attrs, slog.Any(s.title, list))
		}
	}
	return slog.GroupValue(attrs...)
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
	if r.Count > 1 {
		s += fmt.Sprintf("; found %d times so far", r.Count)
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

type titled struct {
	title string
	pcs   []uintptr
}

func (r *Report) stacks() []titled {
	return []titled{{"acquired", r.Acquired}, {"released", r.Released}, {"now", r.Now}}
}

// A line is a function in a stack and a place in its file.
type line struct{ function, place string }

// describe returns the lines of a stack. It leaves out the runtime's, which tell a
// reader nothing.
func describe(pcs []uintptr) (lines []line) {
	if len(pcs) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			lines = append(lines, line{f.Function, fmt.Sprintf("%s:%d", f.File, f.Line)})
		}
		if !more {
			return lines
		}
	}
}
