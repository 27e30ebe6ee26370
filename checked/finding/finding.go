// Package finding describes a misuse of pooled memory, in one form for all finders.
// Package [github.com/octet-go/octet/checked] has its types under the same names. They
// are declared here, where nothing else is, so that a panic has one type whether or not
// the program imports checked.
package finding

import (
	"runtime"
	"strconv"
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

// A Report describes one misuse. It is the value of the panic, an error, and the
// argument of a handler, which may keep it, and must not change it.
//
// A stack is program counters as [runtime.Callers] returns them, for
// [runtime.CallersFrames]; nil if it is not known. It begins at the function of
// octet that the program called.
type Report struct {
	Code Code
	What string // the broken rule in a few words, such as "released twice"

	Object string        // the misused object: "slice", "Buffer" or "reader"
	Size   int           // its capacity in bytes
	Pool   string        // the name of its pool; "" if that has none
	Age    time.Duration // since it was acquired; 0 if that was not seen
	Idle   time.Duration // since it was released; 0 if it was not

	Acquired []uintptr // where it was acquired
	Released []uintptr // where it was released
	Now      []uintptr // where the misuse was found

	Count int // occurrences so far, this one included; 0 if it is not counted
}

// Summary returns the first line of the report, with the code and the rule.
func (r *Report) Summary() string { return "octet: " + string(r.Code) + ": " + r.What }

// Error returns the report as text of several lines, with the stacks.
func (r *Report) Error() string {
	var b strings.Builder
	b.WriteString(r.Summary())
	b.WriteString("\n" + r.subject())
	for _, s := range r.Stacks() {
		b.WriteString("\n" + s.Title + ":")
		for _, f := range s.Frames() {
			b.WriteString("\n\t" + f.Function + "\n\t\t" + f.File + ":" + strconv.Itoa(f.Line))
		}
	}
	return b.String()
}

// subject describes the memory.
func (r *Report) subject() string {
	s := r.Object + " of " + strconv.Itoa(r.Size) + " bytes from "
	if r.Pool != "" {
		s += "pool " + strconv.Quote(r.Pool)
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
		s += "; found " + strconv.Itoa(r.Count) + " times so far"
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

// A Stack is one of a Report's.
type Stack struct {
	Title string // "acquired", "released" or "now"
	PCs   []uintptr
}

// Stacks returns the stacks that are known.
func (r *Report) Stacks() (list []Stack) {
	for _, s := range []Stack{{"acquired", r.Acquired}, {"released", r.Released}, {"now", r.Now}} {
		if len(s.PCs) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// Frames returns the functions of s, innermost first, without those of the runtime, which
// tell a reader nothing.
func (s Stack) Frames() (list []runtime.Frame) {
	frames := runtime.CallersFrames(s.PCs)
	for more := len(s.PCs) > 0; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			list = append(list, f)
		}
	}
	return list
}
