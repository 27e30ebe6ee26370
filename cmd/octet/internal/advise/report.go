package advise

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchunit"

	"github.com/octet-go/octet/cmd/octet/internal/advise/source"
)

func writeJSON[T any](w io.Writer, a *T) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(a)
}

func writeText(w io.Writer, a *Advice) error {
	var b strings.Builder
	fmt.Fprintln(&b, a.Verdict)
	for _, line := range a.notes() {
		fmt.Fprintln(&b, printable(line))
	}
	for i, s := range a.Sites {
		fmt.Fprintf(&b, "\n%2d. %s  %s\n    %s: %s\n", i+1, printable(s.place()), printable(s.Function), printable(s.What), s.size())
		fmt.Fprintf(&b, "    %s\n    ends: %s\n    %s\n", s.cost(), s.Ends, printable(s.Advice))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// notes returns what is said besides the verdict.
func (a *Advice) notes() []string {
	notes := []string{a.Weak, a.NotRun}
	for _, s := range a.Dependencies {
		notes = append(notes, fmt.Sprintf("A dependency allocates %.0f %% of the bytes: %s, %s (%s). A pool there would save %s.",
			s.percent, s.place(), s.Function, s.What, s.Saves.text()))
	}
	return slices.DeleteFunc(notes, func(s string) bool { return s == "" })
}

// place returns where the site is.
func (s *Site) place() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// size returns what the site allocated.
func (s *Site) size() string { return size(s.Bytes) + ", " + size(s.Bytes/max(s.Objects, 1)) + " each" }

// cost returns what a pool saves there and what the memory costs.
func (s *Site) cost() string {
	saves := fmt.Sprintf("saves %s (%s)", percent(s.Saves.Range), s.Saves.withLargeHeap())
	if s.Ends == source.Kept {
		saves = "saves nothing"
	}
	return fmt.Sprintf("%s; costs %.1f %% in allocating, %.1f in collecting, %.1f in scheduling, %.1f in cold memory; a pool takes %.1f",
		saves, s.Costs.Allocating, s.Costs.Collecting, s.Costs.Scheduling, s.Costs.Cold, s.Costs.Pool)
}

// size prints a number of bytes.
func size(n float64) string { return benchunit.Scale(n, benchunit.Binary) + "B" }

// printable returns a text of a profile or a source without what would control a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
