// Misuse runs small programs that misuse pooled memory, and others that look as if
// they did but are correct:
//
//	misuse            list the programs
//	misuse NAME...    run some, one after the other, each under its name on standard error
//
// They are the common corpus of package checked and of poolcheck. They are in a module
// of their own, which has no versions, so that no user downloads them.
//
// A test runs all programs in every checked mode, and under the race detector and the
// address sanitizer, and compares what they print. A misuse that ends the process in
// such a mode has a process of its own; all others share processes, and the correct ones
// among them must print nothing. The table in docs/CHECKED.md is made from what this
// test expects, so that it says what was seen. Another test counts what poolcheck reports.
//
// # Map
//
//	table.go           what a class, a kind and a program are, and what finds a kind
//	oct*.go            the misuses of a class, by kind
//	oct001_buffer.go   those of OCT001 that are about Buffers
//	oct*_alike.go      the correct programs that look like a class
//	overrun*.go        the same for accesses past the end
//	main.go            runs programs
//	settle.go          brings to light what they leave behind
//
// # Marks
//
// A line of a program may end in a comment that consists of the words acquired,
// released and now, separated by commas. In a report of that program, the stack of
// that name must have such a line.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) == 1 {
		list()
		return
	}
	for _, name := range os.Args[1:] {
		p, ok := find(name)
		if !ok {
			fmt.Fprintf(os.Stderr, "misuse: there is no program %q; without an argument it lists them\n", name)
			os.Exit(2)
		}
		fmt.Fprintf(os.Stderr, "misuse: %s\n", name)
		p.run()
		settle()
	}
	collect()
}

// list prints every program with what it shows.
func list() {
	for _, c := range classes {
		for _, k := range c.kinds {
			for _, p := range k.programs {
				fmt.Printf("%s\t%s\t%s\n", c.code, p.name(), p.shows)
			}
		}
		for _, p := range c.alike {
			fmt.Printf("%s\t%s\tright: %s\n", c.code, p.name(), p.shows)
		}
	}
}

// find returns the program of that name.
func find(name string) (program, bool) {
	for _, c := range classes {
		for p := range c.all() {
			if p.name() == name {
				return p, true
			}
		}
	}
	return program{}, false
}
