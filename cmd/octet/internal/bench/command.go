// Package bench is the subcommand octet bench: its flags, what it does in which
// order, and its errors.
//
// # Map
//
//	command.go   the command, its flags and its steps
//	layouts.go   builds several layouts of the program
//	source.go    the groups and rows that can be measured, and --list
//	load.go      how much other programs use the machine
//	terminal.go  the progress bar and the look of the report
package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/measure"
	"github.com/octet-go/octet/cmd/octet/internal/report"
	"github.com/octet-go/octet/cmd/octet/internal/version"
)

// Defaults of the flags. Ten rounds give an interval at 98 %. The times leave
// room for work that is not divided among the rows, and for a busy machine.
const (
	rounds        = 10
	patternRounds = 5 // a pattern is a second of work, so its samples differ little
	defaultTime   = 60 * time.Second
	quickTime     = 15 * time.Second
	maxSlice      = 100 * time.Millisecond
)

type flags struct {
	quick    bool
	run      string
	list     bool
	rounds   int
	patterns int // rounds of patterns of use
	procs    int // 0 leaves it to the rows
	layouts  int // 0 measures with this program
	time     time.Duration
	maxSlice time.Duration // 0 is no bound
	output   []string
}

const long = `Bench measures octet against the standard library and its peers on this machine.

The contestants of a row take turns in short slices of time, in several rounds,
so that changes in the speed of the machine affect all of them alike; patterns
of use run in processes of their own. The report begins with the verdict: in how
many patterns octet keeps its promise, and on how many rows it is faster, level
and slower, or that other programs kept the machine busy, of which a warning
tells soon after the start, too. Tables show the median of each contestant and
the ratio of octet to the best rival, and a legend explains them.

Without flags that takes about four minutes, with --quick less than one.

The order of functions in a program changes what takes a few nanoseconds by up
to 15 %. With --layouts, octet is built anew in several random orders, and
figures are medians over these: by default, of a pair of New and Release and of
other short operations. That needs the go command and a checkout of octet.

benchstat, golang.org/x/perf/cmd/benchstat, compares the samples of runs that were
saved with -o.`

const examples = `  octet bench --quick
  octet bench --list --run size=64
  octet bench --run '^pool/mode=burst' -o burst.txt
  octet bench --layouts=8`

// Command returns the subcommand, which measures the groups of src.
func Command(src Source) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Measure octet against the standard library and its peers",
		Long:    long,
		Example: examples,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && f.layouts > 0 {
				return fmt.Errorf("%q is no argument; the number of layouts follows =, as in --layouts=4", args[0])
			}
			return cobra.NoArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.complete(cmd.Flags())
			if f.list {
				return src.printList(cmd.OutOrStdout(), f.run)
			}
			return f.bench(cmd.Context(), src, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.quick, "quick", false, "measure for less than a minute: each pattern of use once, and\n--time "+quickTime.String())
	fl.StringVar(&f.run, "run", "", "measure only rows whose \"group/row\" contains the text or\nmatches the `regexp`")
	fl.BoolVar(&f.list, "list", false, "print the groups and their rows, and measure nothing")
	fl.IntVar(&f.rounds, "rounds", rounds, "take `n` samples of every contestant; by default half as many of\npatterns of use")
	fl.IntVar(&f.procs, "procs", 0, "GOMAXPROCS of rows in processes of their own (patterns: 4)")
	fl.DurationVar(&f.time, "time", defaultTime, "divide this time among all rows but those in processes of their\nown; by default a contestant gets no more than "+maxSlice.String()+" in\na round")
	fl.IntVar(&f.layouts, "layouts", 0, fmt.Sprintf("build octet `n` times (%d without a number) with its functions in\nrandom orders, and take the median", layoutsDefault))
	fl.Lookup("layouts").NoOptDefVal = strconv.Itoa(layoutsDefault)
	cmd.MarkFlagsMutuallyExclusive("layouts", "quick")
	fl.StringArrayVarP(&f.output, "output", "o", nil, "also write all samples to `file`.txt, for benchstat; repeatable")
	return cmd
}

// complete sets the flags that follow from others and were not given.
func (f *flags) complete(fl *pflag.FlagSet) {
	switch {
	case fl.Changed("rounds"):
		f.patterns = f.rounds
	case f.quick:
		f.patterns = 1
	default:
		f.patterns = patternRounds
	}
	if f.layouts > 0 && f.run == "" {
		f.run = layoutRows
	}
	if fl.Changed("time") {
		return
	}
	if f.layouts > 0 {
		f.time = time.Duration(f.layouts) * layoutTime
	}
	f.maxSlice = maxSlice
	if f.quick {
		f.time = quickTime
	}
}

// bench checks all arguments before it measures anything.
func (f *flags) bench(ctx context.Context, src Source, stdout, stderr io.Writer) error {
	began := time.Now()
	switch {
	case f.rounds < 1:
		return fmt.Errorf("--rounds %d: must be at least 1", f.rounds)
	case f.layouts < 0:
		return fmt.Errorf("--layouts %d: must be at least 1", f.layouts)
	case f.procs < 0:
		return fmt.Errorf("--procs %d: must be at least 1", f.procs)
	case f.time <= 0:
		return fmt.Errorf("--time %v: must be above 0", f.time)
	}
	for _, path := range f.output {
		if err := report.Check(path); err != nil {
			return err
		}
	}
	groups, err := src.choose(f.run)
	if err != nil {
		return err
	}
	options := measure.Options{Rounds: f.rounds, ProcessRounds: f.patterns, MaxSlice: f.maxSlice}
	if f.procs > 0 {
		options.Env = []string{fmt.Sprint("GOMAXPROCS=", f.procs)}
	}

	before, bar, looked := readLoad(), newProgress(stderr), false
	options.Progress = func(done, total int) {
		looked = looked || warn(began, before, bar, stderr)
		bar.ChangeMax(total)
		bar.Set(done) // failing to draw it is no reason to stop
	}
	defer bar.Clear()
	if f.layouts > 0 {
		dir, err := os.MkdirTemp("", "octet-layouts-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if options.Layouts, err = buildLayouts(ctx, dir, f.layouts, options.Progress); err != nil {
			return err
		}
		options.Time = f.time / time.Duration(f.layouts)
	} else {
		options.Time = f.time - time.Since(began)
	}
	if err := measure.Run(ctx, groups, options); err != nil {
		return err
	}
	bar.Clear()

	run := &report.Run{CPU: cmp.Or(strings.TrimSpace(cpuid.CPU.BrandName), "unknown CPU"), Quick: f.quick, Others: others(before, readLoad()), Groups: groups}
	run.About = []string{
		fmt.Sprintf("%s, %d cores, GOMAXPROCS %d, %s/%s", run.CPU, runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH),
		fmt.Sprintf("%s, octet %s, %s", runtime.Version(), version.String(), time.Now().UTC().Format(time.RFC3339)),
		fmt.Sprintf("octet %s: %s", strings.Join(os.Args[1:], " "), made(groups, options)),
	}
	if err := report.Write(stdout, run, look(stdout)); err != nil {
		return err
	}
	for _, path := range f.output {
		if err := report.Save(path, run); err != nil {
			return err
		}
	}
	return nil
}

// made says how many rounds were made of those that should have been.
func made(groups []contest.Group, o measure.Options) string {
	made, late := 0, false
	for _, g := range groups {
		for _, r := range g.Rows {
			made = max(made, r.Rounds())
			late = late || r.Process == nil && r.Rounds() < o.Rounds
		}
	}
	switch {
	case o.Layouts != nil:
		return fmt.Sprintf("medians of %d layouts of the program", made)
	case late:
		return fmt.Sprintf("%d of %d rounds, because time ran out", made, o.Rounds)
	}
	return fmt.Sprintf("%d rounds", made)
}

// ChildCommand returns the hidden subcommand that octet bench runs to measure a
// contestant in a child process.
func ChildCommand(src Source) *cobra.Command {
	return &cobra.Command{
		Use:    measure.Subcommand,
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return measure.Serve(src(), strings.Join(args, " "), cmd.OutOrStdout())
		},
	}
}
