package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A baseline lists the findings that a code base has today, so that only new ones are
// reported. Each has a line: its code, its file, and its message without the lines
// that it names, which change whenever something above them does. What occurs twice
// has two lines. Files are named from the folder of the baseline.
const baselineHead = `# Findings that poolcheck -baseline leaves out. Written by poolcheck -write-baseline.
`

// lineDetail is the part of a message that names lines.
var lineDetail = regexp.MustCompile(` \([^()]*\bline \d+[^()]*\)`)

// baselineLine returns the line for f in a baseline that stands in dir.
func baselineLine(dir string, f finding) string {
	file := parsePosition(f.Posn).file
	if rel, err := filepath.Rel(dir, file); err == nil {
		file = rel
	}
	message := strings.TrimPrefix(lineDetail.ReplaceAllString(f.Message, ""), f.Category+": ")
	return fmt.Sprintf("%s\t%s\t%s", f.Category, filepath.ToSlash(file), message)
}

// writeBaseline lists all findings in the file name.
func writeBaseline(name string, found findings) error {
	abs, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	var lines []string
	for _, f := range sorted(found) {
		lines = append(lines, baselineLine(filepath.Dir(abs), f)+"\n")
	}
	slices.Sort(lines)
	return os.WriteFile(name, []byte(baselineHead+strings.Join(lines, "")), 0o644)
}

// applyBaseline takes the findings that the file name lists out of found.
func applyBaseline(name string, found findings) error {
	abs, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	old := make(map[string]int)
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.Count(line, "\t") != 2 {
			return fmt.Errorf("%s:%d: want a code, a file and a message, with tabs between", name, n)
		}
		old[line]++
	}
	for pkg, list := range found {
		found[pkg] = slices.DeleteFunc(list, func(f finding) bool {
			line := baselineLine(filepath.Dir(abs), f)
			old[line]--
			return old[line] >= 0
		})
	}
	return nil
}
