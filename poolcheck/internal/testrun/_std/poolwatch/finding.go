package poolwatch

import (
	"internal/poolwatch/protocol"
	"internal/strconv"
	"sync/atomic"
)

// A finding is what happened to an object after a place of Put, in a program of poolcheck build.
type finding struct {
	kind, path string
	place      *place
	other      []string // the stack of the access or of the second Put, if it is known
	count      int
}

var findings []*finding

// Exit ends the process. Package os sets it.
var Exit func()

// ReportPath is the file or folder for what a process reports.
func ReportPath() string { return setup.Report }

// happened reports an event of a kind at a place: of a test binary the first ones, in a line that has words; of a
// program of poolcheck build the first one of its kind, as text.
func (p *place) happened(kind string, words ...string) {
	if Sampling {
		found(p, kind, words)
		return
	}
	if p.reports++; p.reports <= 8 {
		report(kind, append([]string{p.name}, words...)...)
	}
}

// found adds a finding, or counts one that is known.
func found(p *place, kind string, words []string) {
	f := &finding{kind: kind, place: p, count: 1}
	if kind == protocol.Write {
		f.path = words[1]
	} else {
		f.other = words
	}
	for _, old := range findings {
		if old.kind == kind && old.place == p && old.path == f.path {
			old.count++
			return
		}
	}
	findings = append(findings, f)
	text := appendStack([]byte("poolcheck: "+f.message()+"\n"), "put by", p.stack)
	write(appendStack(text, "then by", f.other))
	if setup.Then == "exit" && Exit != nil {
		summary()
		Exit()
	}
}

func (f *finding) message() string {
	what := "OCT001: a " + f.place.typ + " is accessed"
	switch f.kind {
	case protocol.Double:
		return "OCT003: a " + f.place.typ + " is put a second time"
	case protocol.Write:
		what = "OCT001: a " + f.place.typ + " is written"
	}
	what += " after it was put"
	if f.path != "" {
		what += ": its " + f.path[1:] + " changed"
	}
	return what
}

func appendStack(to []byte, title string, stack []string) []byte {
	if len(stack) < 3 {
		return to
	}
	to = append(to, "\t"+title+":\n"...)
	for ; len(stack) >= 3 && stack[0] != "runtime.main" && stack[0] != "runtime.goexit"; stack = stack[3:] {
		to = append(to, "\t\t"+stack[0]+"\n\t\t\t"+stack[1]+":"+stack[2]+"\n"...)
	}
	return to
}

// summary writes how often each finding was seen, and how many calls of Put were watched, when the program ends.
func summary() {
	for _, f := range findings {
		if f.count > 1 {
			text := "poolcheck: " + f.message() + ", " + strconv.Itoa(f.count) + " times"
			write(appendStack([]byte(text+"\n"), "put by", f.place.stack))
		}
	}
	write([]byte("poolcheck: " + strconv.Itoa(watchedPuts) + " of " + about + strconv.Itoa(int(allPuts.Load())) + " calls of Put were watched\n"))
}

// Of allPuts calls of Put, watchedPuts were watched.
var (
	allPuts     atomic.Int64
	watchedPuts int
	about       string // says that one call was counted for several
)
