package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/child"
	"github.com/octet-go/octet/poolcheck/internal/status"
)

// applyFixes runs go fix with this program as its tool: it applies the first fix of each finding, or
// prints them as a diff.
func applyFixes(ctx context.Context, o *options, stdout, stderr io.Writer) int {
	cmd, done, err := goFix(ctx, o)
	if err != nil {
		fmt.Fprintln(stderr, "poolcheck:", err)
		return status.Incomplete
	}
	defer done()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(stdout, &out), stderr
	err = child.Run(ctx, cmd)
	switch {
	case o.diff && out.Len() > 0:
		return status.Findings
	case err != nil:
		return status.Incomplete
	}
	return status.Clean
}

// goFix returns the go fix command that runs this program, and what to call when it has ended.
func goFix(ctx context.Context, o *options) (cmd *exec.Cmd, done func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	args := []string{"fix", "-fixtool=" + self}
	if o.diff {
		args = append(args, "-diff")
	}
	done = func() {}
	if !o.test {
		overlay, err := withoutTests(ctx, o)
		if err != nil {
			return nil, nil, fmt.Errorf("-test=false: %w", err)
		}
		done = func() { os.Remove(overlay) }
		args = append(args, "-overlay="+overlay)
	}
	if o.tags != "" {
		args = append(args, "-tags="+o.tags)
	}
	if o.codes != "" {
		args = append(args, "-poolcheck.codes="+o.codes)
	}
	if o.table != "" {
		t, err := readTables(o.table)
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("-table: %w", err)
		}
		args = append(args, "-poolcheck.table="+t.names, "-poolcheck.tablesum="+t.sum)
	}
	args = append(args, "-poolcheck.patterns="+patternSum(o.patterns))
	args = append(args, o.patterns...)
	return child.Command(ctx, "go", args...), done, nil
}

// patternSum returns a checksum of what is fixed. Go 1.26 keeps what it has found, and takes a package
// that was only imported by what an earlier run looked at for one in which nothing was found. With
// another flag it looks again.
func patternSum(patterns []string) string {
	dir, _ := os.Getwd()
	sum := sha256.Sum256([]byte(strings.Join(append([]string{dir}, patterns...), "\x00")))
	return hex.EncodeToString(sum[:])
}

// withoutTests writes a file for the go command's flag -overlay, by which the named
// packages have no test files: go fix loads them otherwise, and what they import.
func withoutTests(ctx context.Context, o *options) (string, error) {
	const each = `{{$.Dir}}/{{.}}{{"\n"}}{{end}}`
	files, err := o.list(ctx, "{{range .TestGoFiles}}"+each+"{{range .XTestGoFiles}}"+each)
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for _, name := range files {
		overlay.Replace[filepath.Clean(name)] = "" // deleted
	}
	f, err := os.CreateTemp("", "poolcheck-*.json")
	if err != nil {
		return "", err
	}
	err = json.NewEncoder(f).Encode(overlay)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// list returns the lines that go list prints by a template for the packages that are named.
func (o *options) list(ctx context.Context, template string) ([]string, error) {
	args := []string{"list", "-e", "-f=" + template}
	if o.tags != "" {
		args = append(args, "-tags="+o.tags)
	}
	text, err := exec.CommandContext(ctx, "go", append(args, o.patterns...)...).Output()
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' }), err
}
