package main

import (
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
	n := new(counter)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(stdout, n), stderr
	err = cmd.Run()
	switch {
	case o.diff && *n > 0:
		return exitFindings
	case err != nil:
		return exitFailed
	}
	return exitClean
}

// A counter counts the bytes that are written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
