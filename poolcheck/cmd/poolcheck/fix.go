package main

import (
	"bytes"
	"fmt"
	"io"
)

// applyFixes runs go fix with this program as its tool: it applies the first fix of each finding, or
// prints them as a diff.
func applyFixes(o *options, stdout, stderr io.Writer) int {
	cmd, done, err := goTool(o)
	if err != nil {
		fmt.Fprintln(stderr, "poolcheck:", err)
		return exitFailed
	}
	defer done()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(stdout, &out), stderr
	err = cmd.Run()
	switch {
	case o.diff && out.Len() > 0:
		return exitFindings
	case err != nil:
		return exitFailed
	}
	return exitClean
}
