// Misuse runs one small program that misuses pooled memory, or one that looks as
// if it did and is right:
//
//	misuse            list the programs
//	misuse NAME       run one
//
// The test runs each of them as a process of its own in every checked mode, and
// under the race detector and the address sanitizer, and looks at what it prints.
// The table in docs/CHECKED.md is made from the expectations in this package, so
// that it says what was seen.
//
// # Map
//
//	table.go           what a class, a kind and a program are, and what finds a kind
//	oct001.go …        the misuses of a class, by kind
//	oct001_buffer.go   those of them that are about Buffers
//	oct001_alike.go …  the programs that look like it
//	main.go            runs a program
//	settle.go          brings to light what it left behind
//	misuse_test.go     runs all programs in all modes
//	outcome_test.go    what a process printed, against what was expected
//	marks_test.go      which lines a report is to show
//	table_test.go      the table in docs/CHECKED.md
//
// # Marks
//
// A line of a program may end in a comment of the words acquired, released and
// now, with commas between. A report of that program must show such a line in
// the stack of that name. A program has the name of its function, which must
// stand in these stacks too.
package main

import (
	"fmt"
	"os"
)

func main() {
	switch len(os.Args) {
	case 1:
		list()
	case 2:
		p, ok := find(os.Args[1])
		if !ok {
			fmt.Fprintf(os.Stderr, "misuse: there is no program %q; without an argument it lists them\n", os.Args[1])
			os.Exit(2)
		}
		p.run()
		settle()
	default:
		fmt.Fprintln(os.Stderr, "usage: misuse [NAME]")
		os.Exit(2)
	}
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
