package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/child"
	"github.com/octet-go/octet/poolcheck/internal/status"
)

// applyFixes runs go fix with this program as its tool: it applies the first fix of each finding, or
// prints them as a diff.
func applyFixes(ctx context.Context, o *options, t *tables, stdout, stderr io.Writer) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(stderr, "poolcheck:", err)
		return status.Incomplete
	}
	args := []string{"fix", "-fixtool=" + self}
	if o.diff {
		args = append(args, "-diff")
	}
	for _, f := range [][2]string{
		{"tags", o.tags}, {"poolcheck.codes", o.codes},
		{"poolcheck.table", t.names}, {"poolcheck.tablesum", t.sum}, {"poolcheck.patterns", patternSum(o.patterns)},
	} {
		if f[1] != "" {
			args = append(args, "-"+f[0]+"="+f[1])
		}
	}
	cmd := child.Command(ctx, "go", append(args, o.patterns...)...)
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

// patternSum returns a checksum of what is fixed. Go 1.26 keeps what it has found, and takes a package
// that was only imported by what an earlier run looked at for one in which nothing was found. With
// another flag it looks again.
func patternSum(patterns []string) string {
	dir, _ := os.Getwd()
	sum := sha256.Sum256([]byte(strings.Join(append([]string{dir}, patterns...), "\x00")))
	return hex.EncodeToString(sum[:])
}
