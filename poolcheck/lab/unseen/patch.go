package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// diffName is the file, in the folder of a program, that makes fixed.go of bug.go.
const diffName = "fixed.diff"

// overlay returns the mended programs of a set, by the names that their files would have.
func overlay(set string) (map[string][]byte, error) {
	diffs, err := filepath.Glob(filepath.Join(programsDir(), set, "*", diffName))
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, name := range diffs {
		dir := filepath.Dir(name)
		diff, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(filepath.Join(dir, bug, bug+".go"))
		if err != nil {
			return nil, err
		}
		mended, err := patch(string(text), string(diff))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[filepath.Join(dir, fixed, fixed+".go")] = []byte(mended)
	}
	return files, nil
}

// patch applies the hunks of a unified diff.
func patch(text, diff string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	var out strings.Builder
	at := 0 // the lines of text that are done
	for line := range strings.Lines(diff) {
		switch line[0] {
		case '@':
			var begin int
			if _, err := fmt.Sscanf(line, "@@ -%d", &begin); err != nil || begin-1 < at || begin > len(lines) {
				return "", fmt.Errorf("bad line %q", line)
			}
			for ; at < begin-1; at++ {
				out.WriteString(lines[at])
			}
		case '+':
			out.WriteString(line[1:])
		case ' ', '-':
			if at >= len(lines) || lines[at] != line[1:] {
				return "", fmt.Errorf("line %d is not %q", at+1, line[1:])
			}
			if at++; line[0] == ' ' {
				out.WriteString(line[1:])
			}
		default:
			return "", fmt.Errorf("bad line %q", line)
		}
	}
	for _, line := range lines[at:] {
		out.WriteString(line)
	}
	return out.String(), nil
}
