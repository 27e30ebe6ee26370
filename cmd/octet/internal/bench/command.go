// Package bench is the subcommand: flags, the order of things, and errors.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/octet-go/octet/cmd/octet/internal/compare"
	"github.com/octet-go/octet/cmd/octet/internal/measure"
	"github.com/octet-go/octet/cmd/octet/internal/report"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// ErrCrossed is returned when a --fail-if limit was crossed; all else went well.
var ErrCrossed = errors.New("limit crossed")

// How long to measure if nothing else is said. Ten rounds give an interval at
// 98 %, and enough samples for a significant difference among hundreds of
// comparisons. The times leave room for what is not divided among the rows, such
// as listing the real workload's files, and for a busy machine.
const (
	rounds      = 10
	defaultTime = 60 * time.Second
	quickTime   = 8 * time.Second
	maxSlice    = 100 * time.Millisecond

	maxBytes      = "64MiB"
	quickMaxBytes = "16MiB"
)

type flags struct {
	quick    bool
	run      string
	list     bool
	rounds   int
	time     time.Duration
	maxSlice time.Duration // 0 is no bound
	dir      string
	maxBytes string
	output   []string
	baseline string
	failIf   []string
}

const long = `Bench measures octet against the standard library and its peers on this machine.

The contestants of a row take turns in short slices, in several rounds, so that
a machine that changes its speed treats all alike. Tables show each contestant's
median, and octet's relative to the best rival's; a legend explains the marks. The
verdict at the end says on how many rows octet is faster, level and slower.

A group of rows is one subject; the group "real" frames, writes, reads back and
verifies the files under --dir. Groups that --list marks run only by name.

The ending of a report file (-o) says what it holds:
%s

Exit status: 0, also if a change is reported but crosses no limit; 3 if a
significant change of octet crosses a --fail-if limit; 2 on any error. ("go run"
turns both into 1; build the program where that matters.)`

const examples = `  octet bench --quick
  octet bench --list --run size=64
  octet bench --run '^pool/op=New' -o new.json -o new.html
  octet bench --baseline old.json --fail-if 'ns/op>+10%' --fail-if 'allocs/op>+0%'`

// Command returns the subcommand, which measures the contests of the source.
func Command(src Source) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Measure octet against the standard library and its peers",
		Long:    fmt.Sprintf(long, report.Formats()),
		Example: examples,
		Args:    cobra.NoArgs,
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
	fl.BoolVar(&f.quick, "quick", false, fmt.Sprintf("measure for less than 20 s: --time %v --max-bytes %s", quickTime, quickMaxBytes))
	fl.StringVar(&f.run, "run", "", "measure only rows whose \"group/row\" contains the text or\nmatches the `regexp`")
	fl.BoolVar(&f.list, "list", false, "print the groups and their rows, and measure nothing")
	fl.IntVar(&f.rounds, "rounds", rounds, "take `n` samples of every contestant")
	fl.DurationVar(&f.time, "time", defaultTime, "divide this time among all contestants and rounds; unless\ngiven, none of them gets more than "+maxSlice.String()+" a round")
	fl.StringVar(&f.dir, "dir", "", "the `directory` whose files the group real works on\n(default GOROOT/src)")
	fl.StringVar(&f.maxBytes, "max-bytes", maxBytes, "take no more than that `size` of files")
	fl.StringArrayVarP(&f.output, "output", "o", nil, "also write a report to the `file`; repeatable")
	fl.StringVar(&f.baseline, "baseline", "", "compare with the run that was saved in the JSON `file`")
	fl.StringArrayVar(&f.failIf, "fail-if", nil, "exit with 3 if octet is worse than the baseline by more than the\n`limit`, such as 'ns/op>+10%'; also B/op, allocs/op; repeatable")
	cmd.RegisterFlagCompletionFunc("run", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return src.complete(typed), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// complete sets what follows from the other flags.
func (f *flags) complete(fl *pflag.FlagSet) {
	if !fl.Changed("time") {
		f.maxSlice = maxSlice
	}
	if !f.quick {
		return
	}
	if !fl.Changed("time") {
		f.time = quickTime
	}
	if !fl.Changed("max-bytes") {
		f.maxBytes = quickMaxBytes
	}
}

// printList prints what --run takes.
func (f *flags) printList(src Source, stdout io.Writer) error {
	rows, err := newFilter(f.run)
	if err != nil {
		return err
	}
	return src.printList(stdout, rows)
}

// bench checks everything that can be wrong before it measures anything.
func (f *flags) bench(ctx context.Context, src Source, command string, stdout, stderr io.Writer) error {
	began := time.Now()
	if f.rounds < 1 {
		return fmt.Errorf("--rounds %d: at least 1", f.rounds)
	}
	if f.time <= 0 {
		return fmt.Errorf("--time %v: must be above 0", f.time)
	}
	size, err := humanize.ParseBytes(f.maxBytes)
	if err != nil || size == 0 || size > 1<<60 {
		return fmt.Errorf("--max-bytes %q is not a size such as 64MiB", f.maxBytes)
	}
	for _, path := range f.output {
		if err := report.Check(path); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
	}
	limits, err := f.limits()
	if err != nil {
		return err
	}
	old, err := f.old()
	if err != nil {
		return err
	}
	rows, err := newFilter(f.run)
	if err != nil {
		return err
	}
	groups, err := src.choose(rows, f.dir, int64(size))
	if err != nil {
		return err
	}
	fewest, err := f.fewest(limits, old, groups)
	if err != nil {
		return err
	}

	bar := newProgress(stderr)
	measured, err := measure.Run(ctx, groups, measure.Options{
		Rounds:   f.rounds,
		Fewest:   fewest,
		Time:     f.time - time.Since(began),
		MaxSlice: f.maxSlice,
		Progress: bar.step,
	})
	bar.clear()
	if err != nil {
		return err
	}

	run := &sample.Run{Env: environment(command), Rounds: f.rounds, Groups: measured}
	if err := f.report(run, old, stdout); err != nil {
		return err
	}
	return judge(run, old, limits, stderr)
}

// report shows the run and saves it.
func (f *flags) report(run, old *sample.Run, stdout io.Writer) error {
	var changes *compare.Result
	if old != nil {
		changes = compare.Runs(old, run)
	}
	doc := report.New(run, changes)
	if err := terminal(stdout).Write(stdout, doc); err != nil {
		return err
	}
	for _, path := range f.output {
		if err := report.Save(path, doc); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
	}
	return nil
}

// terminal says how to show tables on w.
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

// commandLine is the command as given, with only the last element of absolute
// paths: a report need not tell where somebody keeps their files.
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
