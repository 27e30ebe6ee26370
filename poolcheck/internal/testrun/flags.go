package testrun

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/octet-go/octet/poolcheck/internal/status"
)

// Options are what the command line says.
type Options struct {
	JSON    bool
	Verbose bool
	Budget  time.Duration // for the runs after the first ones, in all

	Tolerate bool // tests that fail without this command do not change the status

	build    []string // flags for go list and go test
	test     []string // flags for go test alone
	patterns []string
	args     []string // for the test binary, from -args on
	timeout  time.Duration
}

// The flags that are passed on: those that go list takes as well, and those that only go
// test or go build takes, the boolean ones before the bar.
const (
	commonFlags = "a trimpath linkshared modcacherw buildvcs x n | " +
		"tags mod modfile p ldflags gcflags asmflags buildmode compiler installsuffix pgo pkgdir"
	testFlags = "short failfast fullpath benchmem artifacts | " +
		"run skip count cpu parallel shuffle list blockprofile cpuprofile memprofile mutexprofile trace outputdir benchtime"
	buildFlags = "v work json | o exec toolexec"
)

// newFlags returns the flags of a command. Those that are passed on are added to lists; some are refused.
func newFlags(command, refused, why string) *flag.FlagSet {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, r := range []struct{ flags, why string }{
		{"cover coverpkg coverprofile covermode", "the go command ignores overlays with it (https://go.dev/issue/73802)"},
		{"msan asan", "the sanitizers have an allocator of their own"},
		{"overlay", "this command has one"},
		{"C", "change the directory before you start it"},
		{refused, why},
	} {
		for _, name := range strings.Fields(r.flags) {
			set.BoolFunc(name, "", func(string) error { return fmt.Errorf("it does not go with poolcheck %s: %s", command, r.why) })
		}
	}
	return set
}

// pass adds flags to a set that are passed on: to a list, as they are given.
func pass(set *flag.FlagSet, names string, to *[]string) {
	booleans, others, _ := strings.Cut(names, "|")
	for _, name := range strings.Fields(booleans) {
		set.BoolFunc(name, "", func(value string) error {
			*to = append(*to, strings.TrimSuffix("-"+name+"="+value, "=true"))
			return nil
		})
	}
	for _, name := range strings.Fields(others) {
		set.Func(name, "", func(value string) error {
			*to = append(*to, "-"+name+"="+value)
			return nil
		})
	}
}

// parse reads the command line: the flags of this command, flags of go test, packages, and
// -args.
func parse(args []string) (*Options, error) {
	o := &Options{}
	set := newFlags("test", "exec c o i toolexec fuzz bench work", "this command runs the tests itself")
	set.BoolVar(&o.JSON, "json", false, "")
	set.BoolVar(&o.Verbose, "v", false, "")
	set.DurationVar(&o.Budget, "budget", 10*time.Minute, "")
	set.BoolVar(&o.Tolerate, "tolerate", false, "")
	set.DurationVar(&o.timeout, "timeout", 10*time.Minute, "")
	set.String("vet", "", "")
	pass(set, "race "+commonFlags, &o.build)
	pass(set, testFlags, &o.test)
	if i := slices.IndexFunc(args, func(a string) bool { return a == "-args" || a == "--args" }); i >= 0 {
		args, o.args = args[:i], args[i+1:]
	}
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		if args = set.Args(); len(args) > 0 {
			o.patterns = append(o.patterns, args[0])
			args = args[1:]
		}
	}
	if o.timeout <= 0 {
		o.timeout = 24 * time.Hour
	}
	return o, nil
}

// Usage is the help of the command.
const Usage = `Poolcheck test runs the tests of a module, unchanged, with a sync.Pool that checks.

usage: poolcheck test [flags] [packages] [-args ...]

It reports memory that is read, written, or put again after Put, in the module and in
what it depends on. Packages and most flags are those of go test; -race makes a
concurrent access after Put a finding with both stacks. Its own flags:

  -budget duration  time for looking into failures, beside the first runs (default 10m);
                    a package may use half of what is left
  -tolerate         tests that fail without poolcheck, too, do not change the exit status
  -json             print JSON, as poolcheck does
  -v                say what was seen and not confirmed, and what was not looked at

` + status.Table
