package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"io"
	"os"
	"slices"
	"strings"
)

// A fix is one change that would mend a finding.
type fix struct {
	Message string `json:"message"`
	Edits   []edit `json:"edits"`
}

// An edit replaces the bytes from Start to End.
type edit struct {
	Filename string `json:"filename"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	New      string `json:"new"`
}

// applyFixes applies the first fix of each finding, or prints them as a diff.
func applyFixes(o *options, found findings, failed failures, stdout, stderr io.Writer) int {
	edits := make(map[string][]edit)
	for _, f := range sorted(found) {
		if len(f.Fixes) == 0 {
			continue
		}
		for _, e := range f.Fixes[0].Edits {
			if !slices.Contains(edits[e.Filename], e) {
				edits[e.Filename] = append(edits[e.Filename], e)
			}
		}
	}
	status := exitClean
	if len(failed) > 0 {
		status = exitFailed
	}
	names := make([]string, 0, len(edits))
	for name := range edits {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		before, err := os.ReadFile(name)
		var after []byte
		if err == nil {
			after, err = applyEdits(before, edits[name])
		}
		if err == nil && !o.diff {
			err = rewrite(name, after)
		}
		if err != nil {
			fmt.Fprintf(stderr, "poolcheck: %s: %v\n", name, err)
			status = exitFailed
			continue
		}
		if o.diff {
			writeDiff(stdout, relative(name), string(before), string(after))
			if status == exitClean {
				status = exitFindings
			}
		}
	}
	return status
}

// rewrite replaces the content of a file and keeps its mode.
func rewrite(name string, text []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, info.Mode().Perm())
}

// applyEdits returns text with the edits. A text that was formatted is formatted
// afterwards; of any other only the edited places change.
func applyEdits(text []byte, edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			return nil, fmt.Errorf("two fixes change the same place: apply one, and run poolcheck again")
		}
		out.Write(text[at:e.Start])
		out.WriteString(e.New)
		at = e.End
	}
	out.Write(text[at:])
	if was, err := format.Source(text); err == nil && bytes.Equal(was, text) {
		if now, err := format.Source(out.Bytes()); err == nil {
			return now, nil
		}
	}
	return out.Bytes(), nil
}

// A diffLine is a line that the new text has ("+"), the old one ("-"), or both (" ").
type diffLine struct{ mark, text string }

// writeDiff prints the changes from before to after, as a unified diff.
func writeDiff(w io.Writer, name, before, after string) {
	const around = 3 // lines in front of and behind a change
	lines := diffLines(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n"))
	fmt.Fprintf(w, "--- %s\n+++ %s\n", name, name)
	oldLine, newLine := 1, 1
	for i := 0; i < len(lines); {
		change := slices.IndexFunc(lines[i:], func(l diffLine) bool { return l.mark != " " })
		if change < 0 {
			return
		}
		from := max(i+change-around, i)
		oldLine, newLine = oldLine+from-i, newLine+from-i
		last, olds, news := i+change, 0, 0 // the last change of the hunk
		for k := last; k < len(lines) && k <= last+2*around; k++ {
			if lines[k].mark != " " {
				last = k
			}
		}
		end := min(last+1+around, len(lines))
		for _, l := range lines[from:end] {
			if l.text == "" {
				continue // behind the last newline
			}
			if l.mark != "+" {
				olds++
			}
			if l.mark != "-" {
				news++
			}
		}
		fmt.Fprintf(w, "@@ -%d,%d +%d,%d @@\n", oldLine, olds, newLine, news)
		for _, l := range lines[from:end] {
			if l.text != "" {
				fmt.Fprintf(w, "%s%s\n", l.mark, strings.TrimSuffix(l.text, "\n"))
			}
		}
		oldLine, newLine, i = oldLine+olds, newLine+news, end
	}
}

// diffLines returns the lines of a and b in order, those that both have once. Where
// they differ it goes on at the nearest line that they share.
func diffLines(a, b []string) []diffLine {
	var out []diffLine
	for len(a) > 0 || len(b) > 0 {
		if len(a) > 0 && len(b) > 0 && a[0] == b[0] {
			out = append(out, diffLine{" ", a[0]})
			a, b = a[1:], b[1:]
			continue
		}
		olds, news := len(a), len(b)
	search:
		for d := 1; d < len(a)+len(b); d++ {
			for i := max(d-len(b)+1, 0); i <= d && i < len(a); i++ {
				if j := d - i; a[i] == b[j] && a[i] != "\n" {
					olds, news = i, j
					break search
				}
			}
		}
		for _, text := range a[:olds] {
			out = append(out, diffLine{"-", text})
		}
		for _, text := range b[:news] {
			out = append(out, diffLine{"+", text})
		}
		a, b = a[olds:], b[news:]
	}
	return out
}
