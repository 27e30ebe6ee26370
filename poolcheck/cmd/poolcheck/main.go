// Command poolcheck finds misuse of pooled memory in Go programs. See the
// package poolcheck for what it finds, and its folder docs for the classes.
//
//	poolcheck ./...                           print what is wrong
//	poolcheck -sarif report.sarif ./...       and write it in SARIF 2.1.0
//	poolcheck -json ./...                     print it as JSON
//	poolcheck -fix ./...                      apply the fixes that are certain
//	go vet -vettool=$(which poolcheck) ./...  as part of go vet
//	go fix -fixtool=$(which poolcheck) ./...  as part of go fix
//
// Alone, it runs itself under go vet, which loads the packages, analyzes each
// in a process of its own, and keeps the results in Go's build cache: a second
// run looks only at what has changed.
//
// The exit status is 0 if nothing is wrong, 3 if there are findings, 1 if some
// package could not be loaded or analyzed, and 2 if the command line is wrong.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/octet-go/octet/poolcheck"
	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Exit statuses.
const (
	exitClean    = 0
	exitFailed   = 1
	exitUsage    = 2
	exitFindings = 3
)

func main() {
	if unit(os.Args[1:]) {
		unitchecker.Main(poolcheck.Analyzer)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// unit reports whether go vet or go fix has started the command, to analyze
// one package or to describe itself.
func unit(args []string) bool {
	for _, a := range args {
		if a == "-flags" || a == "--flags" || strings.HasPrefix(a, "-V") {
			return true
		}
	}
	if len(args) == 0 || !strings.HasSuffix(args[len(args)-1], ".cfg") {
		return false
	}
	checkStandard(args[len(args)-1])
	return true
}

// checkStandard makes the analyzer look at a package of the standard library
// if go vet was asked for it. As a dependency it is left out: the table
// describes it.
func checkStandard(config string) {
	text, err := os.ReadFile(config)
	if err != nil {
		return // unitchecker reports it
	}
	var cfg struct {
		ImportPath string
		VetxOnly   bool
	}
	if json.Unmarshal(text, &cfg) == nil && !cfg.VetxOnly && api.Standard(cfg.ImportPath) {
		poolcheck.Analyzer.Flags.Set("std", "true")
	}
}

// options are the flags of the command alone.
type options struct {
	json, fix, diff, test bool
	sarif, table, tags    string
	patterns              []string
}

func run(args []string, stdout, stderr io.Writer) int {
	o, status := parse(args, stdout, stderr)
	if o == nil {
		return status
	}
	if o.fix || o.diff {
		return applyFixes(o, stdout, stderr)
	}
	findings, failures, ok := check(o, stderr)
	if !ok {
		return exitFailed
	}
	if err := output(o, findings, failures, stdout); err != nil {
		fmt.Fprintln(stderr, "poolcheck:", err)
		return exitFailed
	}
	switch {
	case len(failures) > 0:
		return exitFailed
	case findings.count() > 0:
		return exitFindings
	}
	return exitClean
}

const usage = `Poolcheck reports misuse of pooled memory.

usage: poolcheck [flags] packages

Packages are named as for the go command: ./... means this folder and all below.

`

const usageEnd = `
Codes:
  OCT001  use after release             OCT006  part released
  OCT002  alias escapes its release     OCT007  released to a foreign pool
  OCT003  double release                OCT008  grown and lost
  OCT004  missing release               OCT009  old bytes are read
  OCT005  released under a goroutine

Comments:
  //poolcheck:ignore OCT004 reason   says nothing of that code on this line, or on the
                                     next if the comment has a line of its own
  //poolcheck:owns b                 in the doc comment of a function, an interface's
                                     method or a function type: it takes b over
  //poolcheck:owns return            the caller has to release the result
  //poolcheck:borrows b              it lets go of b

Files for -table, one row a line; arguments count from 0, a receiver first:
  acquire example.com/pool.Get          release (*example.com/pool.Buf).Free
  release example.com/pool.Put 0        view    (*example.com/pool.Buf).Data
  keep    example.com/queue.Push 1      borrow  example.com/codec.Decode

Exit status: 0 nothing found, 1 failure, 2 wrong usage, 3 findings.

Under the go command:
  go vet -vettool=$(which poolcheck) ./...
  go fix -fixtool=$(which poolcheck) ./...
`

func parse(args []string, stdout, stderr io.Writer) (*options, int) {
	o := new(options)
	flags := flag.NewFlagSet("poolcheck", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.json, "json", false, "print JSON: for each package and analyzer, a list of findings")
	flags.StringVar(&o.sarif, "sarif", "", "write SARIF 2.1.0 to `file`; - is the standard output")
	flags.BoolVar(&o.fix, "fix", false, "apply the fixes that are certain, and print nothing else")
	flags.BoolVar(&o.diff, "diff", false, "print the fixes as a diff instead of applying them")
	flags.BoolVar(&o.test, "test", true, "report findings in test files, too")
	flags.StringVar(&o.table, "table", "", "read functions that acquire and release memory from `files`, with commas between")
	flags.StringVar(&o.tags, "tags", "", "build `tags`, with commas between")
	version := flags.Bool("version", false, "print the version and exit")
	help := func(w io.Writer) {
		io.WriteString(w, usage)
		flags.SetOutput(w)
		flags.PrintDefaults()
		io.WriteString(w, usageEnd)
	}
	err := flags.Parse(args)
	switch {
	case err == flag.ErrHelp:
		help(stdout)
		return nil, exitClean
	case err != nil:
		fmt.Fprintf(stderr, "poolcheck: %v\nRun 'poolcheck -help' for usage.\n", err)
		return nil, exitUsage
	case *version:
		fmt.Fprintln(stdout, "poolcheck", moduleVersion())
		return nil, exitClean
	}
	o.patterns = flags.Args()
	if len(o.patterns) == 0 {
		fmt.Fprintln(stderr, "poolcheck: no packages named; ./... means this folder and all below\nRun 'poolcheck -help' for usage.")
		return nil, exitUsage
	}
	return o, exitClean
}

// moduleVersion is the version of the module that the command was built from;
// "(devel)" in a checkout.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
