package checked

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/checked/finding"
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

func aLeak() *Report {
	var pcs [8]uintptr
	here := pcs[:runtime.Callers(1, pcs[:])]
	return &Report{Code: finding.Leak, What: "never released", Object: "slice", Size: 4096, Pool: "frames",
		Age: time.Second, Idle: 2, Count: 3, Acquired: here, Released: here, Now: here}
}

// TestLogOfBeginning sees that a program which has not chosen a handler gets lines
// that it can read.
func TestLogOfBeginning(t *testing.T) {
	text := logTo(t, nil)
	log(aLeak())
	const want = "ERROR octet: OCT004: never released\n" +
		"slice of 4096 bytes from pool \"frames\", acquired 1s ago, released 2ns ago; found 3 times so far\n" +
		"acquired:\n\tgithub.com/octet-go/octet/checked.aLeak\n\t\t"
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
		Size, Count                          int
		Age, Idle                            time.Duration
		Acquired, Released, Now              []string
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if got.Level != "ERROR" || got.Msg != "octet: OCT004: never released" || got.Code != "OCT004" || got.What != "never released" ||
		got.Object != "slice" || got.Size != 4096 || got.Pool != "frames" || got.Age != time.Second || got.Idle != 2 || got.Count != 3 {
		t.Errorf("it is logged as %s", text)
	}
	for _, s := range [][]string{got.Acquired, got.Released, got.Now} {
		if len(s) < 2 || !strings.HasPrefix(s[0], "github.com/octet-go/octet/checked.aLeak ") || !strings.Contains(s[0], "log_test.go:") {
			t.Errorf("a stack is %q", s)
		}
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
