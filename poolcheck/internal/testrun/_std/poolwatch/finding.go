package poolwatch

import (
	"internal/strconv"
	"internal/stringslite"
	"sync/atomic"
)

// A finding is what happened to an object after a place of Put.
type finding struct {
	code, what, path string
	place            *place
	other            []string // the stack of the access or of the second Put, if it is known
	count            int
}

var (
	findings []*finding
	changed  bool   // since publish
	toFile   string // where findings go, "" for standard error
	stops    bool   // the program ends with the first finding
)

// How many calls of Put there were, by the processor that they were on, and how many of them were watched. counted
// says that this is known: the program ends.
var (
	putsOn [1 << 8]struct {
		n atomic.Uint64
		_ [56]byte
	}
	putsKept int
	counted  bool
)

func countPut() {
	n := &putsOn[procPin()%len(putsOn)].n
	n.Store(n.Load() + 1) // pinned: nobody else counts there
	procUnpin()
}

// tally says how many calls of Put were watched.
func tally() string {
	var all uint64
	for i := range putsOn {
		all += putsOn[i].n.Load()
	}
	return "poolcheck: " + strconv.Itoa(putsKept) + " of " + strconv.Itoa(int(all)) + " calls of Put were watched\n"
}

// What package os sets: to write to standard error, to write a file, and to end the process.
var (
	Print func(text []byte)
	Write func(name string, text []byte)
	Exit  func()
)

const maxFindings = 1000

// found adds a finding, or counts one that is known.
func found(f *finding) {
	changed = true
	for _, old := range findings {
		if old.code == f.code && old.what == f.what && old.place == f.place && old.path == f.path {
			old.count++
			return
		}
	}
	if len(findings) == maxFindings {
		return
	}
	f.count = 1
	findings = append(findings, f)
	if Print != nil && toFile == "" {
		Print(f.text(nil))
	}
	if stops && Exit != nil {
		publish()
		Exit()
	}
}

// publish writes the file, if there is one.
func publish() {
	if !changed || toFile == "" || Write == nil {
		return
	}
	changed = false
	var text []byte
	if stringslite.HasSuffix(toFile, ".sarif") {
		text = sarif()
	} else {
		for _, f := range findings {
			text = f.text(text)
		}
		if counted {
			text = append(text, tally()...)
		}
	}
	Write(toFile, text)
}

// summary prints how often each was seen, and how many calls of Put were watched, when the program ends.
func summary() {
	if Print == nil || toFile != "" {
		return
	}
	for _, f := range findings {
		if f.count > 1 {
			Print([]byte("poolcheck: " + f.message() + ", " + strconv.Itoa(f.count) + " times, put at " + f.at() + "\n"))
		}
	}
	Print([]byte(tally()))
}

func (f *finding) message() string {
	s := f.code + ": a " + f.place.typ + " " + f.what
	if f.path != "" {
		s += ": its " + f.path[1:] + " changed"
	}
	return s
}

// headline returns the call that decides to put: not that of a function which puts for its callers.
func (f *finding) headline() []string {
	stack := f.place.stack
	for len(stack) >= 6 && !isStart(stack[3]) && putsForOthers(stack[0]) {
		stack = stack[3:]
	}
	return stack[:min(len(stack), 3)]
}

// putsForOthers reports whether a function has a name that says that it puts.
func putsForOthers(function string) bool {
	for i := len(function) - 1; i >= 0; i-- {
		if function[i] == '.' {
			function = function[i+1:]
			break
		}
	}
	for _, verb := range [...]string{"Put", "put", "Release", "release", "Free", "free", "Recycle", "recycle", "Discard", "discard"} {
		if stringslite.HasPrefix(function, verb) {
			return true
		}
	}
	return false
}

// at returns the file and line of that call.
func (f *finding) at() string {
	if call := f.headline(); len(call) == 3 {
		return call[1] + ":" + call[2]
	}
	return "an unknown place"
}

// text appends a finding as text.
func (f *finding) text(to []byte) []byte {
	to = append(append(to, "poolcheck: "...), f.message()...)
	if f.count > 1 {
		to = append(append(append(to, ", "...), strconv.Itoa(f.count)...), " times"...)
	}
	to = append(to, '\n')
	to = appendStack(to, "put by", f.place.stack)
	return appendStack(to, "then by", f.other)
}

func appendStack(to []byte, title string, stack []string) []byte {
	if len(stack) < 3 {
		return to
	}
	to = append(append(append(to, '\t'), title...), ":\n"...)
	for ; len(stack) >= 3 && !isStart(stack[0]); stack = stack[3:] {
		to = append(append(append(to, "\t\t"...), stack[0]...), "\n\t\t\t"...)
		to = append(append(append(append(to, stack[1]...), ':'), stack[2]...), '\n')
	}
	return to
}

// isStart reports whether a function is one of the runtime's that goroutines begin in.
func isStart(name string) bool { return name == "runtime.main" || name == "runtime.goexit" }

// sarif returns all findings in SARIF 2.1.0.
func sarif() []byte {
	b := []byte(`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"poolcheck","informationUri":"https://github.com/octet-go/octet"}},"results":[`)
	for i, f := range findings {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"level":"warning","ruleId":`...), quote(f.code)...)
		b = append(append(b, `,"message":{"text":`...), quote(f.message())...)
		b = append(append(b, `},"occurrenceCount":`...), strconv.Itoa(f.count)...)
		b = append(b, `,"locations":[`...)
		b = appendLocations(b, "", f.headline())
		b = append(b, `],"relatedLocations":[`...)
		n := len(b)
		b = appendLocations(b, "put by ", f.place.stack)
		if len(b) > n && len(f.other) >= 3 {
			b = append(b, ',')
		}
		b = append(appendLocations(b, "then by ", f.other), "]}"...)
	}
	b = append(b, ']')
	if counted {
		b = append(append(b, `,"properties":{"comment":`...), quote(tally())...)
		b = append(b, '}')
	}
	return append(b, "}]}\n"...)
}

func appendLocations(b []byte, verb string, stack []string) []byte {
	for first := true; len(stack) >= 3 && !isStart(stack[0]); stack, first = stack[3:], false {
		if !first {
			b = append(b, ',')
		}
		b = append(append(b, `{"physicalLocation":{"artifactLocation":{"uri":`...), quote("file://"+stack[1])...)
		b = append(append(append(b, `},"region":{"startLine":`...), stack[2]...), "}}"...)
		if verb != "" {
			b = append(append(append(b, `,"message":{"text":`...), quote(verb+stack[0])...), '}')
		}
		b = append(b, '}')
	}
	return b
}

// quote returns s as a string of JSON.
func quote(s string) []byte {
	b := []byte{'"'}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, ' ')
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
