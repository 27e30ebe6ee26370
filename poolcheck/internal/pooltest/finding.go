package pooltest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Kind is what happened to memory after Put.
type Kind string

// The kinds.
const (
	Read   Kind = "read"
	Write  Kind = "write"
	Double Kind = "double"
	Race   Kind = "race"
	Octet  Kind = "octet" // a report of octet's own checked mode
)

// codes are the classes of poolcheck that the kinds are.
var codes = map[Kind]string{Read: "OCT001", Write: "OCT001", Double: "OCT003", Race: "OCT005"}

// A Finding is a place of Put after which memory is used.
type Finding struct {
	Kind    Kind
	Code    string // such as OCT003
	Type    string // of what was put
	Message string
	Put     []Frame // where it was put, the innermost call first
	Fault   []Frame // of the second Put, or of the reader; empty if it is not known
	Origin  string  // "in test code", "in a dependency", "in the standard library", or ""
	Package string
	Tests   []string // of the package, that show it
	Again   string   // the command that shows it again
}

// At is the position of the finding.
func (f *Finding) At() Frame { return headline(f.Put) }

func (f Frame) at() string { return filepath.Base(f.File) + ":" + strconv.Itoa(f.Line) }

// headline returns the call of a stack that a reader looks at first: the one that decides
// to put, and not one in the standard library, or in a function that puts what its
// caller is done with.
func headline(stack []Frame) Frame {
	var first *Frame
	for i := range stack {
		f := &stack[i]
		if inStandard(*f) {
			if first != nil {
				break
			}
			continue
		}
		if first == nil {
			first = f
		}
		if !puts.MatchString(f.Func) {
			return *f
		}
	}
	if first != nil {
		return *first
	}
	if len(stack) > 0 {
		return stack[0]
	}
	return Frame{}
}

// puts matches functions that put for their callers.
var puts = regexp.MustCompile(`\.(?i:put|release|free|recycle|discard)[^./]*(?:\[\.\.\.\])?$`)

// inStandard reports whether a function is in the standard library, whose packages have no
// dot in the first element of their path; package main and command-line-arguments are
// not.
func inStandard(f Frame) bool {
	name := f.Func
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		first, _, _ := strings.Cut(name, "/")
		return !strings.Contains(first, ".") && strings.Contains(filepath.ToSlash(f.File), "/src/"+name[:i])
	}
	pkg, _, _ := strings.Cut(name, ".")
	return strings.Contains(filepath.ToSlash(f.File), "/src/"+pkg+"/")
}

var testName = regexp.MustCompile(`\.((?:Test|Example|Fuzz)[^.]*)(?:\.func\d+[.\d]*|\.gowrap\d+)*$`)

// testOf returns the test that a stack is in, "" if it is in none.
func testOf(stack []Frame) string {
	for _, f := range slices.Backward(stack) {
		if strings.HasSuffix(f.File, "_test.go") {
			if m := testName.FindStringSubmatch(f.Func); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// finding describes an event.
func (j *judge) finding(e event, tests []string) *Finding {
	p := j.places[e.Place]
	f := &Finding{Type: p.Type, Put: p.Stack, Package: j.pkg, Tests: tests}
	switch e.Kind {
	case "double":
		f.Kind, f.Fault = Double, e.Stack
		into := "it is still in its pool from here"
		if e.Pool != "" {
			into = "it is still in another pool from here"
		}
		f.Message = fmt.Sprintf("a %s is put a second time by %s while %s", p.Type, headline(e.Stack).at(), into)
	default:
		f.Kind = Write
		what := e.Path
		if what == "" {
			what = "its memory"
		} else {
			what = "its " + what
		}
		if e.Of > 0 {
			what = fmt.Sprintf("byte %d of %d of %s", e.At, e.Of, what)
		}
		change := ""
		if e.Was != "" {
			change = " from 0x" + bigEndian(e.Was) + " to 0x" + bigEndian(e.Now)
		}
		f.Message = fmt.Sprintf("a %s is written after it was put here: %s changed%s", p.Type, what, change)
	}
	j.complete(f)
	return f
}

// bigEndian turns the bytes of a number, given in hexadecimal in the order of memory,
// around, as on little-endian processors, and drops leading zeros.
func bigEndian(hex string) string {
	var b strings.Builder
	for i := len(hex) - 2; i >= 0; i -= 2 {
		b.WriteString(hex[i : i+2])
	}
	if s := strings.TrimLeft(b.String(), "0"); s != "" {
		return s
	}
	return "0"
}

// readFinding describes a place whose memory is read after Put. o is a run that fails if
// only the memory of that place is overwritten.
func (j *judge) readFinding(place string, o *outcome) *Finding {
	p := j.places[place]
	f := &Finding{Kind: Read, Type: p.Type, Put: p.Stack, Package: j.pkg}
	f.Message = fmt.Sprintf("a %s is read after it was put here", p.Type)
	for _, r := range races(o.Output) {
		if len(r.put) > 0 && len(p.Stack) > 0 && r.put[0] == p.Stack[0] {
			f.Kind, f.Fault = Race, r.other
			f.Message = fmt.Sprintf("a %s is accessed by another goroutine while it is put here, by %s", p.Type, headline(r.other).at())
			break
		}
	}
	j.complete(f)
	return f
}

// complete adds what follows from the rest.
func (j *judge) complete(f *Finding) {
	f.Code = codes[f.Kind]
	f.Put, f.Fault = below(f.Put), below(f.Fault)
}

// below returns a stack without what runs tests and goroutines.
func below(stack []Frame) []Frame {
	i := slices.IndexFunc(stack, func(f Frame) bool { return f.Func == "testing.tRunner" || f.Func == "runtime.goexit" })
	if i > 0 {
		return stack[:i]
	}
	return stack
}

// A raceReport is what the race detector says of a Put and another access.
type raceReport struct{ put, other []Frame }

var (
	raceBlock = regexp.MustCompile(`(?s)WARNING: DATA RACE\n(.*?)\n==================`)
	raceFrame = regexp.MustCompile(`(?m)^  (\S+)\(.*\)\n\s+(\S+):(\d+)`)
)

// races returns the reports of the race detector in which one access is by
// sync.Pool.Put.
func races(output string) []raceReport {
	var list []raceReport
	for _, block := range raceBlock.FindAllStringSubmatch(output, 50) {
		parts := strings.Split(block[1], "\n\n")
		if len(parts) < 2 {
			continue
		}
		a, b := frames(parts[0], raceFrame), frames(parts[1], raceFrame)
		switch {
		case byPut(a):
			list = append(list, raceReport{a[1:], b})
		case byPut(b):
			list = append(list, raceReport{b[1:], a})
		}
	}
	return list
}

func byPut(stack []Frame) bool { return len(stack) > 1 && stack[0].Func == "sync.(*Pool).Put" }

func frames(text string, form *regexp.Regexp) []Frame {
	var stack []Frame
	for _, m := range form.FindAllStringSubmatch(text, -1) {
		line, _ := strconv.Atoi(m[3])
		stack = append(stack, Frame{m[1], m[2], line})
	}
	return stack
}

var traceFrame = regexp.MustCompile(`(?m)^([^\s(].*)\([^()]*(?:\{[^\n]*\})?[^()]*\)\n\t(\S+):(\d+)`)

// faultStack returns the stack of the access that ended a program with a fault, without
// the runtime's part; nil if there was no fault.
func faultStack(output string) []Frame {
	at := strings.Index(output, "unexpected fault address")
	if at < 0 {
		return nil
	}
	text := output[at:]
	start := strings.Index(text, "\ngoroutine ")
	if start < 0 {
		return nil
	}
	text = text[start+1:]
	if end := strings.Index(text, "\n\n"); end >= 0 {
		text = text[:end]
	}
	_, text, _ = strings.Cut(text, "\n") // goroutine 1 [running]:
	stack := frames(text, traceFrame)
	for len(stack) > 0 && strings.HasPrefix(stack[0].Func, "runtime.") {
		stack = stack[1:]
	}
	return stack
}
