// Package console says what a command does: on a terminal while it does it, and in a line at its end.
package console

import (
	"fmt"
	"io"
	"os"
	"strconv"
)

// A Console is where a command says what it does. Findings go elsewhere.
type Console struct {
	Name     string // of the command, in front of each line
	w        io.Writer
	terminal bool
}

// New returns the console of the command name that writes to w.
func New(name string, w io.Writer) *Console { return &Console{name, w, isTerminal(w)} }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Say writes a line.
func (c *Console) Say(format string, args ...any) {
	c.Progress("")
	fmt.Fprintf(c.w, c.Name+": "+format+"\n", args...)
}

// Progress shows on a terminal what is being done, in the place of what was shown before.
func (c *Console) Progress(what string) {
	if c.terminal {
		fmt.Fprintf(c.w, "\r\x1b[K%.76s", what)
	}
}

// Count returns a number of things in words.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
