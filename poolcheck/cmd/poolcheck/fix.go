package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/octet-go/octet/poolcheck/internal/child"
	"github.com/octet-go/octet/poolcheck/internal/status"
)

// applyFixes runs go fix with this program as its tool: it applies the first fix of each finding, or
// prints them as a diff.
func applyFixes(ctx context.Context, o *options, stdout, stderr io.Writer) int {
	cmd, done, err := goTool(ctx, o)
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
