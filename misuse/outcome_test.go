package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An outcome is what a program printed and, if it has a process of its own, how that ended.
// It is nil if a program before it ended the process.
type outcome struct {
	alone  bool
	exit   int
	output string
}

// execute runs programs in one process, and returns the outcome of each. Several must not end it.
func execute(t *testing.T, binary string, m mode, trials []trial) map[string]*outcome {
	t.Helper()
	var names []string
	for _, tr := range trials {
		names = append(names, tr.name())
	}
	alone := len(names) == 1
	check, race, asan := "off", "atexit_sleep_ms=0", ""
	switch m {
	case sample, full, guard:
		check = m.String()
	case raceFull, asanFull:
		check = full.String()
		asan = "symbolize=0," // which takes longer than everything else, and the stack is not compared
	}
	if !alone {
		race += " exitcode=0 suppress_equal_stacks=0 suppress_equal_addresses=0"
		asan += "halt_on_error=0"
	}
	cmd := exec.Command(binary, names...)
	cmd.Env = append(os.Environ(), "OCTETDEBUG=check="+check+",sample=1,"+trials[0].debug,
		"GORACE="+race, "ASAN_OPTIONS="+asan, "GOTRACEBACK=")
	// The output ends when the last process ends that has it, such as a reporter.
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	exit := cmd.ProcessState.ExitCode()
	if !alone && exit != 0 {
		t.Errorf("exit status %d of %q; it printed:\n%s", exit, names, out)
	}
	text := raceCount.ReplaceAllString(string(out), "")
	noGuard := noGuard.FindString(text)
	text = strings.Replace(text, noGuard, "", 1)
	outcomes := make(map[string]*outcome)
	for section := range strings.SplitSeq("\n"+text, "\nmisuse: ") {
		name, text, _ := strings.Cut(section, "\n")
		outcomes[name] = &outcome{alone, exit, noGuard + text}
	}
	return outcomes
}

var (
	raceCount = regexp.MustCompile(`Found \d+ data race\(s\)\n$`)             // the last line of a race build
	noGuard   = regexp.MustCompile(`(?m)^octet: no guarded memory: [^\n]*\n`) // of all programs of a process
)

// wants returns how the ways that mode m combines find a misuse of kind k.
func (m mode) wants(k kind) []finding {
	switch {
	case m == raceFull:
		return []finding{k.found[race], k.found[full]}
	case m == asanFull:
		return []finding{k.found[asan], k.found[full]}
	case m == guard && !guarded():
		return []finding{k.found[full]}
	}
	return []finding{k.found[m]}
}

// exits are the exit statuses of processes with one program.
var exits = map[manner][]int{silent: {0}, panics: {2}, logs: {0}, faults: {2}, fails: {1, 2}, races: {66}, poisoned: {1}}

// headline matches the first line of a report.
var headline = regexp.MustCompile(`octet: (OCT\d+|OVERRUN): [^\n]*`)

// checkMode compares the outcome of a program of kind k in mode m with what was
// expected.
func (o *outcome) checkMode(t *testing.T, m mode, k kind, marks marks) {
	t.Helper()
	wants := m.wants(k)
	switch {
	case o == nil:
		t.Fatal("it did not run")
	case len(wants) > 1:
		// What one of them finds must be found.
		wanted := slices.ContainsFunc(wants, finding.shows)
		if wanted != (o.output != "") {
			t.Errorf("is it to be found: %t; it printed:\n%s", wanted, o.output)
		}
		return
	case guarded():
	case m == guard:
		o.cutLine(t, "; mode full instead\n")
	case wants[0].how == faults:
		o.cutLine(t, "\n")
		wants[0] = finding{}
	}
	o.check(t, wants[0], marks)
}

// cutLine removes the first line of the output, which must say that there is no
// guarded memory, and have this end.
func (o *outcome) cutLine(t *testing.T, end string) {
	t.Helper()
	line, rest, _ := strings.Cut(o.output, "\n")
	if line += "\n"; !strings.HasPrefix(line, "octet: no guarded memory: ") || !strings.HasSuffix(line, end) {
		t.Errorf("it does not say that there is no guarded memory%s", end)
	}
	o.output = rest
}

// stacks are the titles of stacks in those reports that do not have all three.
var stacks = map[string][]string{
	writtenAfter:  {"acquired", "released"}, // the writer has gone on
	neverReleased: {"acquired"},
}

// check compares the outcome of a program with these marks with a finding.
func (o *outcome) check(t *testing.T, want finding, marks marks) {
	t.Helper()
	ok := strings.Contains(o.output, want.text) && (!o.alone || slices.Contains(exits[want.how], o.exit))
	if want.how == silent {
		ok = ok && o.output == ""
	}
	if !ok {
		t.Fatalf("exit status %d, want one of %v, if it is alone, and %q in its output; it printed:\n%s", o.exit, exits[want.how], want.text, o.output)
	}
	if want.how == panics {
		o.output = strings.ReplaceAll(o.output, "\n\t", "\n") // a panic indents its message
	}
	for _, h := range headline.FindAllString(o.output, -1) {
		if !strings.HasPrefix(h, want.text) && (want.also == "" || !strings.HasPrefix(h, want.also)) {
			t.Errorf("it reports %q too", h)
		}
	}
	switch want.how {
	case panics, logs, faults:
		for _, word := range words {
			stack := o.stack(word)
			if word == "now" && want.how == faults {
				_, stack, _ = strings.Cut(o.output, "\ngoroutine ") // the report refers to the first that Go prints
				stack, _, _ = strings.Cut(stack, "\n\n")
			}
			if has := stacks[want.text]; has == nil || slices.Contains(has, word) {
				o.checkStack(t, word, stack, marks)
			}
		}
	case races:
		o.checkStack(t, "released", o.output, marks)
		o.checkStack(t, "now", o.output, marks)
	case poisoned:
		// Only the innermost function is shown, which may be part of Go.
		if want.when == "" && strings.Contains(o.output, " in main.") {
			o.checkStack(t, "now", o.output, marks)
		}
	}
	if t.Failed() {
		t.Logf("it printed:\n%s", o.output)
	}
}

// stack returns the lines under the title in all reports.
func (o *outcome) stack(title string) string {
	var stack strings.Builder
	inside := false
	for line := range strings.Lines(o.output) {
		if !strings.HasPrefix(line, "\t") {
			inside = line == title+":\n"
		} else if inside {
			stack.WriteString(line)
		}
	}
	return stack.String()
}

// checkStack fails t if the program has lines marked with word, and none of them is in
// the stack.
func (o *outcome) checkStack(t *testing.T, word, stack string, marks marks) {
	t.Helper()
	if len(marks[word]) == 0 {
		return
	}
	for _, place := range marks[word] {
		if regexp.MustCompile(regexp.QuoteMeta(place) + `\b`).MatchString(stack) {
			return
		}
	}
	t.Errorf("it does not show one of %v as %q", marks[word], word)
}
