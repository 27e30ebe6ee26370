// Package bench is the subcommand octet bench: its flags, what it does in which
// order, and its errors.
//
// # Map
//
//	command.go      the command, its flags and its steps
//	layouts.go      measures with several layouts of the program
//	source.go       the groups and rows that can be measured, and --list
//	child.go        the hidden command that measures in a child process
//	environment.go  where and how a run is made
//	load.go         how much other programs use the machine
//	progress.go     the progress bar
package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/measure"
	"github.com/octet-go/octet/cmd/octet/internal/report"
)

// Defaults of the flags. Ten rounds give an interval at 98 %. The times leave
// room for work that is not divided among the rows, and for a busy machine.
const (
	rounds      = 10
	defaultTime = 60 * time.Second
	quickTime   = 15 * time.Second
	maxSlice    = 100 * time.Millisecond
)

type flags struct {
	quick    bool
	run      string
	list     bool
	rounds   int
	asked    bool // for that many rounds
	procs    int  // 0 leaves it to the rows
	layouts  int  // 0 measures with this program
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

Without flags that takes about six minutes, with --quick less than one.

The order of functions in a program changes what takes a few nanoseconds by up
to 15 %%. With --layouts, octet is built anew in several random orders, and
figures are medians over these: by default, of a pair of New and Release and of
other short operations. That needs the go command and a checkout of octet.

A group of rows is about one subject. Some groups run only if --run contains
their name; --list marks them.

The ending of a report file (-o) selects its format:
%s

benchstat, golang.org/x/perf/cmd/benchstat, compares runs that were saved as .txt.`

const examples = `  octet bench --quick
  octet bench --list --run size=64
  octet bench --run '^pool/mode=burst' -o burst.json -o burst.md
  octet bench --layouts=8`

// Command returns the subcommand, which measures the groups of src.
func Command(src Source) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Measure octet against the standard library and its peers",
		Long:    fmt.Sprintf(long, report.Formats),
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
				return f.printList(src, cmd.OutOrStdout())
			}
			return f.bench(cmd.Context(), src, commandLine(cmd), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.quick, "quick", false, "measure for less than a minute: each pattern of use once, with\nnobody but octet and its peer, and --time "+quickTime.String())
	fl.StringVar(&f.run, "run", "", "measure only rows whose \"group/row\" contains the text or\nmatches the `regexp`")
	fl.BoolVar(&f.list, "list", false, "print the groups and their rows, and measure nothing")
	fl.IntVar(&f.rounds, "rounds", rounds, "take `n` samples of every contestant; by default half as many of\npatterns of use")
	fl.IntVar(&f.procs, "procs", 0, "GOMAXPROCS of rows in processes of their own (patterns: 4)")
	fl.DurationVar(&f.time, "time", defaultTime, "divide this time among all rows but those in processes of their\nown; by default a contestant gets no more than "+maxSlice.String()+" in\na round")
	fl.IntVar(&f.layouts, "layouts", 0, fmt.Sprintf("build octet `n` times (%d without a number) with its functions in\nrandom orders, and take the median", layoutsDefault))
	fl.Lookup("layouts").NoOptDefVal = strconv.Itoa(layoutsDefault)
	cmd.MarkFlagsMutuallyExclusive("layouts", "quick")
	fl.StringArrayVarP(&f.output, "output", "o", nil, "also write a report to `file`; repeatable")
	return cmd
}

// complete sets the flags that follow from others and were not given.
func (f *flags) complete(fl *pflag.FlagSet) {
	f.asked = fl.Changed("rounds")
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

// adjust gives rows that take fewer samples as many as were asked for, or one for a quick
// run, which also leaves out all contestants but octet and its peer in rows that have one.
// It returns the most samples that a row will have.
func (f *flags) adjust(groups []contest.Group) (most int) {
	for _, g := range groups {
		for i := range g.Rows {
			r := &g.Rows[i]
			rounds := f.rounds
			if p := r.Process; p != nil && p.Rounds > 0 {
				switch {
				case f.asked:
					p.Rounds = f.rounds
				case f.quick:
					p.Rounds = 1
				}
				rounds = p.Rounds
			}
			most = max(most, rounds)
			if f.quick && r.Peer != "" {
				r.Contestants = slices.DeleteFunc(r.Contestants, func(c contest.Contestant) bool { return !c.Ours && c.Name != r.Peer })
			}
		}
	}
	return most
}

// env returns what is added to the environment of processes.
func (f *flags) env() []string {
	if f.procs == 0 {
		return nil
	}
	return []string{fmt.Sprint("GOMAXPROCS=", f.procs)}
}

// printList prints the groups and rows that --run selects.
func (f *flags) printList(src Source, stdout io.Writer) error {
	rows, err := newFilter(f.run)
	if err != nil {
		return err
	}
	return src.printList(stdout, rows)
}

// proc is where Linux has its counters. Tests replace it.
var proc = os.DirFS("/proc")

// bench checks all arguments before it measures anything.
func (f *flags) bench(ctx context.Context, src Source, command string, stdout, stderr io.Writer) error {
	began := time.Now()
	if f.rounds < 1 {
		return fmt.Errorf("--rounds %d: must be at least 1", f.rounds)
	}
	if f.layouts < 0 {
		return fmt.Errorf("--layouts %d: must be at least 1", f.layouts)
	}
	if f.procs < 0 {
		return fmt.Errorf("--procs %d: must be at least 1", f.procs)
	}
	if f.time <= 0 {
		return fmt.Errorf("--time %v: must be above 0", f.time)
	}
	if err := report.Formats.Check(f.output); err != nil {
		return err
	}
	rows, err := newFilter(f.run)
	if err != nil {
		return err
	}
	groups, err := src.choose(rows)
	if err != nil {
		return err
	}
	most := f.adjust(groups)

	machine := newWatch(proc)
	bar := newProgress(stderr)
	progress := func(done, total int) {
		machine.warn(stderr, bar)
		bar.step(done, total)
	}
	options := measure.Options{
		Rounds:   f.rounds,
		Time:     f.time - time.Since(began),
		MaxSlice: f.maxSlice,
		Env:      f.env(),
		Progress: progress,
	}
	if f.layouts > 0 {
		dir, err := os.MkdirTemp("", "octet-layouts-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if options.Layouts, err = buildLayouts(ctx, dir, f.layouts, progress); err != nil {
			bar.clear()
			return err
		}
		options.Time /= time.Duration(f.layouts)
		most = f.layouts
	}
	err = measure.Run(ctx, groups, options)
	bar.clear()
	if err != nil {
		return err
	}

	result := &contest.Result{Env: environment(command), Rounds: most, Layouts: f.layouts, Quick: f.quick, Groups: groups, Others: machine.others()}
	return f.report(result, stdout)
}

// report prints the run and writes the files.
func (f *flags) report(run *contest.Result, stdout io.Writer) error {
	doc := report.New(run)
	if err := terminal(stdout).Write(stdout, doc); err != nil {
		return err
	}
	return report.Formats.Save(f.output, doc)
}

// terminal returns how to print tables on w.
func terminal(w io.Writer) report.Terminal {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return report.Terminal{}
	}
	t := report.Terminal{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		t.Width = width
	}
	return t
}

// commandLine returns the command as it was given, but with only the last
// element of absolute paths: a report should not show where its author keeps
// files.
func commandLine(cmd *cobra.Command) string {
	line := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		values := []string{fl.Value.String()}
		if list, ok := fl.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case fl.Value.Type() == "bool":
				line = append(line, "--"+fl.Name)
				continue
			case filepath.IsAbs(v):
				v = filepath.Base(v)
			case strings.ContainsAny(v, " \t'\"$&|;<>()*?[]#~`\\!{}"):
				v = "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
			}
			line = append(line, "--"+fl.Name, v)
		}
	})
	return strings.Join(line, " ")
}
