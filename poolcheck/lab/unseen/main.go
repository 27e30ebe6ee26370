// Command unseen holds poolcheck against bugs of public projects that it was
// not written for: programs of a page, each with the fault that a merged fix
// removed and, beside it, without. README.md describes them.
//
//	go run ./poolcheck/lab/unseen                  checks the tables and the programs' types
//	go run ./poolcheck/lab/unseen -score learn     what poolcheck finds in one set
//	go run ./poolcheck/lab/unseen -score learn -v  and which programs it misses
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/octet-go/octet/poolcheck"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "unseen:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	flags := flag.NewFlagSet("unseen", flag.ContinueOnError)
	set := flags.String("score", "", "run poolcheck on the programs of this `set`: learn, known or sealed")
	verbose := flags.Bool("v", false, "with -score, name the programs that are missed and those that are reported falsely")
	tables := flags.String("table", "", "with -score, `files` for poolcheck's flag of the same name")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if *set == "" {
		return checkAll(out)
	}
	analyzer := poolcheck.New()
	for name, value := range map[string]string{"table": *tables, "codes": "all"} {
		if err := analyzer.Flags.Set(name, value); err != nil {
			return err
		}
	}
	result, err := scoreSet(analyzer, *set)
	if err != nil {
		return err
	}
	result.print(out, *verbose)
	return nil
}

// checkAll checks every set, and says how many programs it has.
func checkAll(out io.Writer) error {
	lists, err := filepath.Glob(filepath.Join(programsDir(), "*", listName))
	if err != nil {
		return err
	}
	for _, list := range lists {
		set := filepath.Base(filepath.Dir(list))
		programs, err := readPrograms(filepath.Dir(list))
		if err != nil {
			return err
		}
		if err := checkPrograms(set, programs); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d programs\n", set, len(programs))
	}
	return nil
}

// sourceDir returns the directory of this file.
func sourceDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// programsDir returns the directory whose folders are the sets.
func programsDir() string { return filepath.Join(sourceDir(), "testdata", "src") }
