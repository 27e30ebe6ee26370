package advise

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

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
	for _, line := range a.Notes() {
		fmt.Fprintln(&b, printable(line))
	}
	for i, s := range a.Sites {
		fmt.Fprintf(&b, "\n%2d. %s  %s\n    %s: %s\n", i+1, printable(s.Place()), printable(s.Function), printable(s.What), s.Size())
		if cost := s.Cost(); cost != "" {
			fmt.Fprintf(&b, "    %s\n", cost)
		}
		fmt.Fprintf(&b, "    ends: %s\n    %s\n", s.Ends, printable(s.Advice))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Notes returns what is said besides the verdict.
func (a *Advice) Notes() []string {
	notes := []string{a.Missing, a.Weak, a.NotRun}
	for _, s := range a.Dependencies {
		line := fmt.Sprintf("A dependency allocates %.0f %% of the bytes: %s, %s (%s)", s.percent, s.Place(), s.Function, s.What)
		if s.Saves != nil {
			line += ". A pool there would save " + s.Saves.text()
		}
		notes = append(notes, line+".")
	}
	return slices.DeleteFunc(notes, func(s string) bool { return s == "" })
}

// Place returns where the site is.
func (s *Site) Place() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// Size returns what the site allocated.
func (s *Site) Size() string { return size(s.Bytes) + ", " + size(s.Bytes/max(s.Objects, 1)) + " each" }

// Cost returns what a pool saves there and what the memory costs, or "" if that is not known.
func (s *Site) Cost() string {
	if s.Saves == nil {
		return ""
	}
	saves := fmt.Sprintf("saves %s (%s)", percent(s.Saves.Range), s.Saves.withLargeHeap())
	if s.Ends == source.Kept {
		saves = "saves nothing"
	}
	return fmt.Sprintf("%s; costs %.1f %% in allocating, %.1f in collecting, %.1f in scheduling, %.1f in cold memory; a pool takes %.1f",
		saves, s.Costs.Allocating, s.Costs.Collecting, s.Costs.Scheduling, s.Costs.Cold, s.Costs.Pool)
}

// size prints a number of bytes.
func size(n float64) string {
	for _, unit := range []string{"B", "KiB", "MiB"} {
		if n < 1024 {
			if n < 10 && unit != "B" {
				return fmt.Sprintf("%.1f %s", n, unit)
			}
			return fmt.Sprintf("%.0f %s", n, unit)
		}
		n /= 1024
	}
	return fmt.Sprintf("%.1f GiB", n)
}

// printable returns a text of a profile or a source without what would control a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
