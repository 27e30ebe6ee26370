package pooltest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Options are what the command line says.
type Options struct {
	JSON    bool
	SARIF   string
	Verbose bool
	Budget  time.Duration // for the runs after the first two, in all

	build    []string // flags for go list and go test
	test     []string // flags for go test alone
	patterns []string
	args     []string // for the test binary, from -args on
	timeout  time.Duration
	keep     bool // keep the binaries and say where they are
}

// errHelp says that the command line asks for help.
var errHelp = errors.New("help")

// refused are the flags of go test that do not go with this command, after the reason.
var refused = map[string]string{
	"the go command ignores overlays with it (https://go.dev/issue/73802)": "cover coverpkg coverprofile covermode",
	"the sanitizers have an allocator of their own":                        "msan asan",
	"this command runs the tests itself":                                   "overlay exec c o i toolexec fuzz bench",
	"change the directory before you start it":                             "C",
}

// The flags that are passed on: those that go list takes as well, those that only go test
// takes, and of both the boolean ones.
const (
	buildFlags = "tags mod modfile race a p trimpath ldflags gcflags asmflags buildmode buildvcs compiler installsuffix " +
		"linkshared modcacherw pgo pkgdir work x n"
	testFlags = "run skip count cpu parallel short failfast fullpath shuffle vet list blockprofile cpuprofile memprofile " +
		"mutexprofile trace outputdir benchtime benchmem artifacts"
	boolFlags = "race a trimpath linkshared modcacherw work x n short failfast fullpath benchmem artifacts"
)

func listed(list, name string) bool { return slices.Contains(strings.Fields(list), name) }

// parse reads the command line: the flags of this command, flags of go test, packages, and
// -args.
func parse(args []string) (*Options, error) {
	o := &Options{Budget: 10 * time.Minute, timeout: 10 * time.Minute}
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		if !strings.HasPrefix(a, "-") || a == "-" {
			o.patterns = append(o.patterns, a)
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		next := func() error {
			if given {
				return nil
			}
			if len(args) == 0 {
				return fmt.Errorf("flag needs an argument: -%s", name)
			}
			value, args = args[0], args[1:]
			return nil
		}
		var err error
		for why, names := range refused {
			if listed(names, name) {
				return nil, fmt.Errorf("-%s does not go with poolcheck test: %s", name, why)
			}
		}
		switch {
		case name == "h" || name == "help":
			return nil, errHelp
		case name == "args":
			o.args, args = args, nil
		case name == "json":
			o.JSON = value != "false"
		case name == "v":
			o.Verbose = value != "false"
		case name == "sarif":
			err = next()
			o.SARIF = value
		case name == "budget":
			if err = next(); err == nil {
				o.Budget, err = time.ParseDuration(value)
			}
		case name == "timeout":
			if err = next(); err == nil {
				o.timeout, err = time.ParseDuration(value)
			}
			if o.timeout <= 0 {
				o.timeout = 24 * time.Hour
			}
		default:
			build := listed(buildFlags, name)
			if !build && !listed(testFlags, name) {
				return nil, fmt.Errorf("unknown flag -%s; flags for the tests themselves go behind -args", name)
			}
			flag := "-" + name
			if !listed(boolFlags, name) {
				err = next()
				flag += "=" + value
			} else if given {
				flag += "=" + value
			}
			if build {
				o.build = append(o.build, flag)
			} else {
				o.test = append(o.test, flag)
			}
			o.keep = o.keep || name == "work" && value != "false"
		}
		if err != nil {
			return nil, err
		}
	}
	if len(o.patterns) == 0 {
		o.patterns = []string{"."}
	}
	o.test = slices.DeleteFunc(o.test, func(f string) bool { return strings.HasPrefix(f, "-vet=") })
	return o, nil
}

// Usage is the help of the command.
const Usage = `Poolcheck test runs the tests of a module, unchanged, with a sync.Pool that checks.

usage: poolcheck test [flags] [packages] [-args ...]

It reports memory that is read, written, or put again after Put, in the module and in
what it depends on. Packages and most flags are those of go test; -race makes a
concurrent access after Put a finding with both stacks. Its own flags:

  -budget duration  time for looking into failures, beside the first runs (default 10m)
  -json             print JSON, as poolcheck does
  -sarif file       write SARIF 2.1.0 to file; - is the standard output
  -v                say what was seen and not confirmed

Exit status: 0 nothing found, 1 findings, 2 the tests fail or do not build without it,
or wrong usage, 3 this Go release is not known.
`
