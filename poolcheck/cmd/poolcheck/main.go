// Command poolcheck finds misuse of pooled memory in Go programs. See the
// package poolcheck for what it finds, and its folder docs for the classes.
//
//	poolcheck ./...                           print what is wrong
//	poolcheck -json ./...                     print it as JSON
//	poolcheck -fix ./...                      apply the fixes that are certain
//	poolcheck test ./...                      run the tests with a sync.Pool that checks
//	poolcheck build ./cmd/server              build a program whose sync.Pools check
//	poolcheck help OCT003                     explain a code
//	go vet -vettool=$(which poolcheck) ./...  as part of go vet
//	go fix -fixtool=$(which poolcheck) ./...  as part of go fix
//
// It reads what it checks from the source, compiles nothing, and analyzes only what can reach a pool. An interrupt
// leaves what was found until then. As the tool of go vet or go fix, it is started for each package, and the go
// command keeps what it has found in its build cache.
//
// The exit status is 0 if nothing is wrong, 1 if there are findings, 2 if the
// command line is wrong, and 3 if not everything could be checked.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/octet-go/octet/poolcheck"
	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/child"
	"github.com/octet-go/octet/poolcheck/internal/console"
	"github.com/octet-go/octet/poolcheck/internal/status"
	"github.com/octet-go/octet/poolcheck/internal/testrun"
)

func main() {
	if unit(os.Args[1:]) {
		delayCollector()
		unitchecker.Main(poolcheck.Analyzer)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// unit reports whether go vet or go fix has started the command, either to analyze
// one package or to ask for its flags or its version.
func unit(args []string) bool {
	if slices.ContainsFunc(args, func(a string) bool { return a == "-flags" || a == "--flags" || strings.HasPrefix(a, "-V") }) {
		return true
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
	table, tags, codes    string
	analyzer              string // its name, in JSON
	patterns              []string
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "help" {
		return help(args[1:], stdout, stderr)
	}
	if len(args) > 0 {
		switch args[0] {
		case "test":
			return testCommand(args[1:], stdout, stderr)
		case "build", "run":
			return testrun.Build(args[0], args[1:], stdout, stderr)
		}
	}
	o, code := parse(args, stdout, stderr)
	if o == nil {
		return code
	}
	ctx, stop := child.Signalled()
	defer stop()
	delayCollector()
	t, err := readTables(o.table)
	ok := err == nil
	if ok {
		ok, err = t.check(o.tags, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "poolcheck: -table:", err)
	}
	if !ok {
		return status.Incomplete
	}
	if o.fix || o.diff {
		return applyFixes(ctx, o, t, stdout, stderr)
	}
	say := console.New("poolcheck", stderr)
	say.Progress("checking " + strings.Join(o.patterns, " "))
	res, err := check(ctx, o, t, say, stderr)
	say.Progress("")
	if err != nil {
		if ctx.Err() != nil {
			say.Say("interrupted before a package was checked")
		} else {
			fmt.Fprintln(stderr, "poolcheck:", err)
		}
		return status.Incomplete
	}
	if err := output(o, res.findings, res.failures, stdout); err != nil {
		fmt.Fprintln(stderr, "poolcheck:", err)
		return status.Incomplete
	}
	say.Say("%s", res)
	return status.Of(len(sorted(res.findings)) > 0, res.complete())
}

const usage = `Poolcheck reports misuse of pooled memory.

usage: poolcheck [flags] packages
       poolcheck test [flags] [packages]     (poolcheck test -help says more)
       poolcheck build [flags] [packages]    (poolcheck build -help says more)
       poolcheck help [code]

Packages are named as for the go command: ./... means this folder and all below.

`

const usageEnd = `
Comments:
  //poolcheck:ignore OCT004 reason   silences that code on this line, or on the next
                                     if the comment has a line of its own
  //poolcheck:owns b                 in the doc comment of a function, an interface's
                                     method or a function type: it takes b over
  //poolcheck:owns return            the caller has to release the result
  //poolcheck:borrows b              the function does not keep b

Files for -table, one row a line; arguments count from 0, a receiver first:
  acquire example.com/pool.Get          release (*example.com/pool.Buf).Free
  release example.com/pool.Put 0        view    (*example.com/pool.Buf).Data
  keep    example.com/queue.Push 1      borrow  example.com/codec.Decode

` + status.Table + `
Under the go command:
  go vet -vettool=$(which poolcheck) ./...
  go fix -fixtool=$(which poolcheck) ./...
`

// flagSet returns the flags of the command, which set o.
func (o *options) flagSet(version *bool) *flag.FlagSet {
	flags := flag.NewFlagSet("poolcheck", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.json, "json", false, "print JSON: for each package and analyzer, a list of findings")
	flags.BoolVar(&o.fix, "fix", false, "apply the fixes that are certain, and print nothing else")
	flags.BoolVar(&o.diff, "diff", false, "print the fixes as a diff instead of applying them")
	flags.BoolVar(&o.test, "test", true, "check test files, too")
	flags.StringVar(&o.codes, "codes", "", poolcheck.CodesUsage)
	flags.StringVar(&o.table, "table", "", "read functions that acquire and release memory from `files`, with commas between")
	flags.StringVar(&o.tags, "tags", "", "build `tags`, with commas between")
	flags.BoolVar(version, "version", false, "print the version and exit")
	return flags
}

func parse(args []string, stdout, stderr io.Writer) (*options, int) {
	o, version := &options{analyzer: "poolcheck"}, false
	flags := o.flagSet(&version)
	wrong := func(why any) (*options, int) {
		fmt.Fprintf(stderr, "poolcheck: %v\nRun 'poolcheck help' for usage.\n", why)
		return nil, status.Usage
	}
	err := flags.Parse(args)
	if err == flag.ErrHelp {
		return nil, help(nil, stdout, stderr)
	} else if err != nil {
		return wrong(err)
	}
	if version {
		fmt.Fprintln(stdout, "poolcheck", moduleVersion())
		return nil, status.Clean
	}
	o.patterns = flags.Args()
	if len(o.patterns) == 0 {
		return wrong("no packages named; ./... means this folder and all below")
	}
	if _, err := poolcheck.ParseCodes(o.codes); err != nil {
		return wrong(fmt.Errorf("-codes: %w", err))
	}
	if (o.fix || o.diff) && !o.test {
		return wrong("-fix and -diff read tests, too, as go fix does: they do not go with -test=false")
	}
	return o, status.Clean
}

// help prints how the command is used, or the page of a code.
func help(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		io.WriteString(stdout, usage)
		flags := new(options).flagSet(new(bool))
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		io.WriteString(stdout, "\nCodes (poolcheck help OCT001 explains one):\n")
		for _, c := range poolcheck.Classes {
			fmt.Fprintf(stdout, "  %s  %s\n", c.Code, c.Title)
		}
		io.WriteString(stdout, usageEnd)
		return status.Clean
	}
	for _, code := range args {
		page, ok := poolcheck.Page(code)
		if !ok {
			fmt.Fprintf(stderr, "poolcheck: no help for %q; there is help for the codes %s to %s\n",
				code, poolcheck.Classes[0].Code, poolcheck.Classes[len(poolcheck.Classes)-1].Code)
			return status.Usage
		}
		io.WriteString(stdout, page)
	}
	return status.Clean
}

// moduleVersion is the version of the module that the command was built from;
// "(devel)" in a checkout.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
