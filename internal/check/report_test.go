package check

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/finding"
)

// initial is the logger before any test has changed it.
var initial = slog.Default()

// logTo lets the program's log go to the text until the test ends: through the
// handler that is made, or if that is nil through the one that log/slog begins
// with.
func logTo(t *testing.T, handler func(io.Writer) slog.Handler) (text *bytes.Buffer) {
	logger, w, flags := slog.Default(), stdlog.Writer(), stdlog.Flags()
	t.Cleanup(func() {
		slog.SetDefault(logger)
		stdlog.SetOutput(w)
		stdlog.SetFlags(flags)
	})
	text = new(bytes.Buffer)
	if handler != nil {
		slog.SetDefault(slog.New(handler(text)))
	} else {
		slog.SetDefault(initial)
		stdlog.SetOutput(text)
		stdlog.SetFlags(0)
	}
	return text
}

func aLeak() *finding.Report {
	return &finding.Report{Code: finding.Leak, What: "never released", Object: "slice", Size: 4096, Pool: "frames",
		Age: time.Second, Acquired: whereA().pcs}
}

// TestLogOfBeginning sees that a program which has not chosen a handler gets lines
// that it can read.
func TestLogOfBeginning(t *testing.T) {
	text := logTo(t, nil)
	log(aLeak())
	const want = "ERROR octet: OCT004: never released\n" +
		"slice of 4096 bytes from pool \"frames\", acquired 1s ago\n" +
		"acquired:\n\tgithub.com/octet-go/octet/internal/check.whereA\n\t\t"
	if got := text.String(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n") || strings.Contains(got, `\n`) {
		t.Errorf("it is logged\n%s\nwant what begins with\n%s", got, want)
	}
}

// TestLogOfHandler sees that a handler of the program gets attributes, and no text
// of many lines.
func TestLogOfHandler(t *testing.T) {
	text := logTo(t, func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) })
	log(aLeak())
	var got struct {
		Level, Msg, Code, What, Object, Pool string
		Size                                 int
		Age                                  time.Duration
		Acquired                             []string
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if got.Level != "ERROR" || got.Msg != "octet: OCT004: never released" || got.Code != "OCT004" || got.What != "never released" ||
		got.Object != "slice" || got.Size != 4096 || got.Pool != "frames" || got.Age != time.Second {
		t.Errorf("it is logged as %s", text)
	}
	if a := got.Acquired; len(a) < 2 || !strings.HasPrefix(a[0], "github.com/octet-go/octet/internal/check.whereA ") || !strings.Contains(a[0], "check_test.go:") {
		t.Errorf("the stack is %q", a)
	}
}

// TestIsDefault tells the handlers apart. If it fails with a new Go release, that
// has another name for the type.
func TestIsDefault(t *testing.T) {
	for name, c := range map[string]struct {
		h    slog.Handler
		want bool
	}{
		"of the beginning": {initial.Handler(), true},
		"with attributes":  {initial.With("a", 1).WithGroup("g").Handler(), true},
		"text":             {slog.NewTextHandler(os.Stderr, nil), false},
		"JSON":             {slog.NewJSONHandler(os.Stderr, nil), false},
		"discarding":       {slog.DiscardHandler, false},
		"the program's":    {ownHandler{}, false},
	} {
		if got := isDefault(c.h); got != c.want {
			t.Errorf("%s: isDefault(%T) = %v", name, c.h, got)
		}
	}
}

type ownHandler struct{ slog.Handler }

// TestDiscardedLog sees that a program which discards its log gets nothing.
func TestDiscardedLog(t *testing.T) {
	text := logTo(t, nil)
	defer slog.SetLogLoggerLevel(slog.SetLogLoggerLevel(slog.LevelError + 1))
	if log(aLeak()); text.Len() > 0 {
		t.Errorf("it is logged %q", text)
	}
	if slog.Default().Enabled(context.Background(), slog.LevelError) {
		t.Error("level ERROR is enabled")
	}
}

// TestHandlers sees that the latest handler gets findings that was not removed, in
// whatever order they are removed.
func TestHandlers(t *testing.T) {
	text := logTo(t, nil)
	forgetCauses()
	last := ""
	handle := func(name string) (remove func()) { return Handle(func(*finding.Report) { last = name }) }
	gets := func(when, want string) {
		t.Helper()
		last = ""
		text.Reset()
		forgetCauses()
		report(aLeak(), load())
		if text.Len() > 0 {
			last += "log"
		}
		if last != want {
			t.Errorf("%s: %q gets the finding, want %q", when, last, want)
		}
	}
	gets("none", "log")
	a := handle("a")
	b := handle("b")
	gets("a, b", "b")
	a()
	gets("a removed", "b")
	c := Handle(nil)
	gets("none on top", "log")
	d := handle("d")
	c()
	gets("none removed", "d")
	d()
	gets("d removed", "b")
	d()
	b()
	b()
	gets("all removed", "log")
	e := handle("e")
	a()
	b()
	gets("removed again", "e")
	e()

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				Handle(func(*finding.Report) {})()
			}
		})
	}
	wg.Wait()
	gets("all removed at once", "log")
}

func TestIsReported(t *testing.T) {
	var reported []int
	for n := range 2001 {
		if n > 0 && isReported(n) {
			reported = append(reported, n)
		}
	}
	if want := []int{1, 10, 100, 1000}; !slices.Equal(reported, want) {
		t.Errorf("reported are %v, want %v", reported, want)
	}
}

// TestCauses sees that findings of one cause count, and are logged when that is due,
// and that those of other causes do not.
func TestCauses(t *testing.T) {
	text := logTo(t, func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) })
	forgetCauses()
	before := Findings()
	at := func(pc uintptr) []uintptr { return []uintptr{pc} }
	causes := []finding.Report{
		{What: "a", Acquired: at(1), Released: at(2), Now: at(3)},
		{What: "b", Acquired: at(1), Released: at(2), Now: at(3)},
		{What: "a", Acquired: at(4), Released: at(2), Now: at(3)},
		{What: "a", Acquired: at(1), Released: at(4), Now: at(3)},
		{What: "a", Acquired: at(1), Released: at(2), Now: at(4)},
		{Code: finding.Leak, What: "a leak is logged in any case"},
	}
	for n := 1; n <= 12; n++ {
		for i, c := range causes {
			action := ActionLog
			if c.Code == finding.Leak {
				action = ActionPanic
			}
			if report(&c, &state{Config: Config{Action: action}}); c.Count != n {
				t.Errorf("finding %d of cause %d has Count %d", n, i, c.Count)
			}
		}
	}
	if n, want := strings.Count(text.String(), "level=ERROR"), 2*len(causes); n != want {
		t.Errorf("%d lines are logged, want %d", n, want)
	}
	if n, want := Findings()-before, uint64(12*len(causes)); n != want {
		t.Errorf("%d findings, want %d", n, want)
	}
	forgetCauses()
}

// TestLateFindingsDoNotCount sees that leaks which come to light while the mode
// changes do not count in the new one: its first would not be the first, and the
// tenth not reported.
func TestLateFindingsDoNotCount(t *testing.T) {
	before, _ := Set(Config{})
	defer Set(before)
	defer Handle(func(*finding.Report) {})()
	leak := aLeak() // the same place in all cases
	find := func() *finding.Report {
		f := *leak
		report(&f, load())
		return &f
	}
	OnChange(func() {
		for range 12 {
			find()
		}
	})
	defer func() { watchers = watchers[:len(watchers)-1] }()
	count := func(when string) {
		t.Helper()
		if f := find(); f.Count != 1 {
			t.Errorf("%s: the first leak has Count %d", when, f.Count)
		}
	}
	Set(Config{Mode: Full})
	count("after Set")
	stop, err := Start(Config{Mode: Sample})
	if err != nil {
		t.Fatal(err)
	}
	count("after Start")
	stop()
	count("after stop")
}

// TestCausesAreBounded sees that a program with very many causes does not fill memory
// with them, and that those which are known are still counted.
func TestCausesAreBounded(t *testing.T) {
	forgetCauses()
	defer forgetCauses()
	cause := func(i int) *finding.Report { return &finding.Report{Acquired: []uintptr{uintptr(i)}} }
	for i := range maxCauses {
		if n := count(cause(i)); n != 1 {
			t.Fatalf("cause %d has Count %d", i, n)
		}
	}
	for i := range 10 {
		if n := count(cause(maxCauses + i)); isReported(n) {
			t.Errorf("a cause beyond the bound has Count %d, and is reported", n)
		}
		if n := count(cause(0)); n != i+2 {
			t.Errorf("a known cause has Count %d, want %d", n, i+2)
		}
	}
	if n := len(causes.m); n != maxCauses {
		t.Errorf("%d causes are kept, want %d", n, maxCauses)
	}
}
