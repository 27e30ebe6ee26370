package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octet-go/octet/poolcheck"
)

// pageOf returns the address of the page for a category, "" if it has none.
func pageOf(category string) string {
	if strings.HasPrefix(category, "OCT") {
		return poolcheck.URL(category)
	}
	return ""
}

// output prints what was found in the form that was asked for.
func output(o *options, found findings, failed failures, stdout io.Writer) error {
	if o.json {
		return writeJSON(o.analyzer, found, failed, stdout)
	}
	for _, f := range sorted(found) {
		fmt.Fprintf(stdout, "%s: %s\n", relative(f.Posn), f.Message)
		for _, r := range f.Related {
			fmt.Fprintf(stdout, "\t%s: %s\n", relative(r.Posn), r.Message)
		}
		if f.URL != "" {
			fmt.Fprintf(stdout, "\t%s\n", f.URL)
		}
	}
	return nil
}

func writeJSON(analyzer string, found findings, failed failures, stdout io.Writer) error {
	tree := make(map[string]map[string]any)
	for pkg, list := range found {
		tree[pkg] = map[string]any{analyzer: list}
	}
	for pkg, why := range failed {
		tree[pkg] = map[string]any{analyzer: map[string]string{"error": why}}
	}
	enc := json.NewEncoder(stdout)
	enc.SetIndent("", "\t")
	return enc.Encode(tree)
}

// relative returns a path below the working directory without that directory.
func relative(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	return path
}

// sorted returns all findings in the order of their positions.
func sorted(found findings) []finding {
	var all []finding
	for _, list := range found {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.at.Filename, b.at.Filename), a.at.Line-b.at.Line, a.at.Column-b.at.Column)
	})
	return all
}
