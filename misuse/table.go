package main

import (
	"iter"
	"reflect"
	"runtime"
	"strings"
)

// A mode is a way to run a program that uses pools: a value of check in
// OCTETDEBUG, or a kind of build.
type mode int

const (
	off mode = iota
	sample
	full
	guard
	race // built with -race
	asan // built with -asan
	modes

	// The table leaves these out.
	raceFull = modes
	asanFull = modes + 1
)

var modeNames = [...]string{"off", "sample", "full", "guard", "race build", "ASan build", "full in a race build", "full in an ASan build"}

func (m mode) String() string { return modeNames[m] }

// A finding is how a mode shows a kind of misuse. The zero finding shows nothing.
type finding struct {
	how  manner
	text string // in what is printed
	when string // the condition, in the words of the table; "" if it is always found
	also string // what may be printed as well, of a second misuse that follows
}

// A manner is how a process ends, and what it prints.
type manner int

const (
	silent   manner = iota // it prints nothing and ends well
	panics                 // it panics with a report
	logs                   // it logs a report and ends well
	faults                 // it crashes at the instruction, and a report follows
	fails                  // it gets an error, which it prints
	races                  // the race detector reports
	poisoned               // the address sanitizer reports
)

// found is how each mode shows a kind.
type found [modes]finding

// The findings that kinds are made of.

func panicked(headline string) finding { return finding{how: panics, text: headline} }
func logged(headline string) finding   { return finding{how: logs, text: headline} }
func faulted(headline string) finding  { return finding{how: faults, text: headline} }
func failed(err string) finding        { return finding{how: fails, text: err} }

var (
	dataRace = finding{how: races, text: "WARNING: DATA RACE"}
	poison   = finding{how: poisoned, text: "AddressSanitizer: use-after-poison"}
)

// shows reports whether anything is printed.
func (f finding) shows() bool { return f.how != silent }

// ends reports whether a process ends with the finding.
func (f finding) ends() bool { return f.how == panics || f.how == faults || f.how == fails }

// given returns f with a condition.
func (f finding) given(when string) finding {
	f.when = when
	return f
}

// and returns f with a second finding, which follows from the misuse.
func (f finding) and(also string) finding {
	f.also = also
	return f
}

// String returns what the table says.
func (f finding) String() string {
	switch {
	case f.how == silent:
		return "–"
	case f.when != "":
		return "found " + f.when
	default:
		return "found"
	}
}

// A class is one of the codes of misuse.
type class struct {
	code  string
	title string
	kinds []kind
	alike []program // look like it, and are correct
}

// A kind is the misuses of a class that are in one row of the table.
type kind struct {
	what     string // the row's title
	debug    string // for OCTETDEBUG, beside check
	found    found
	programs []program
}

// A program is one function that runs as a process.
type program struct {
	run   func()
	shows string
}

// name returns the name of the function.
func (p program) name() string {
	f := runtime.FuncForPC(reflect.ValueOf(p.run).Pointer()).Name()
	return f[strings.LastIndexByte(f, '.')+1:]
}

// all yields all programs of the class.
func (c class) all() iter.Seq[program] {
	return func(yield func(program) bool) {
		for _, k := range c.kinds {
			for _, p := range k.programs {
				if !yield(p) {
					return
				}
			}
		}
		for _, p := range c.alike {
			if !yield(p) {
				return
			}
		}
	}
}

var classes = []class{oct001, oct002, oct003, oct004, oct005, oct006, oct007, oct008, oct009, oct010, oct011, overrun}

// Conditions of findings, in the words of the table.
const (
	sampled        = "if sampled"
	onLeaving      = "later" // on leaving quarantine
	whenCollected  = "later" // when the collector takes the memory
	usedAfterwards = "when it is used afterwards"
	ownerReleases  = "when its owner releases it"
	readsFirst     = "if they read its content before"

	sampledLeaving   = sampled + ", " + onLeaving
	sampledCollected = sampled + ", " + whenCollected
)
