// Package advise is the subcommand octet advise: what a pool would save in a program, from its
// profiles and its source.
//
// # Map
//
//	command.go  the command, its flags and its steps
//	advice.go   from profiles to sites and what they cost
//	verdict.go  what is said about all of them
//	compare.go  what a change saved
//	report.go   output
package advise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/octet-go/octet/cmd/octet/internal/advise/change"
	"github.com/octet-go/octet/cmd/octet/internal/advise/cost"
	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/cmd/octet/internal/advise/source"
)

type flags struct {
	bench   string
	against string
	compare bool
	dir     string
	seconds int
	json    bool
	diff    bool
	fix     bool
}

const long = `Advise says what pools of bytes would save in a program: of its processor time and
of the bytes that it allocates. Then it names the sites to change, at most ten, and
says for each where its memory ends and what to write.

It needs a profile of allocations and one of processor time, of the same time: files
that go test or runtime/pprof wrote, or addresses of net/http/pprof, which it fetches
for --seconds. It reads the source of the module in the folder, and runs nothing of
it except with --bench.

With a large heap, which is collected about every 64 MiB, collections cost less than
in most benchmarks. --bench measures that; elsewhere it is estimated. Where the
run with a large heap did not allocate, it is unknown, and JSON has no large_heap.

--diff prints the changes as a patch in place of the advice: for each site whose memory
ends in its function the pool and its release, and for those that end elsewhere the
pool, and a comment where the last user may be. --fix makes the changes of the former.
What neither can change, they say, and why.`

const examples = `  octet advise --bench Encode ./wire
  go test -run '^$' -bench Encode -memprofile allocs.pprof -cpuprofile cpu.pprof ./wire
  octet advise allocs.pprof cpu.pprof
  octet advise --seconds 30 http://localhost:6060/debug/pprof
  octet advise --bench Encode --against HEAD~1 ./wire
  octet advise --compare before.json after.json`

// Command returns the subcommand.
func Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:     "advise [profile or address]... | --bench regexp package",
		Short:   "Say what pools would save in a program, and where",
		Long:    long,
		Example: examples,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.advise(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.bench, "bench", "", "run the benchmarks that match the `regexp`, and profile them")
	fl.StringVar(&f.against, "against", "", "with --bench: measure what was saved since the `revision`")
	fl.BoolVar(&f.compare, "compare", false, "say what was saved between two files of --bench --json")
	fl.IntVar(&f.seconds, "seconds", 10, "profile for `n` seconds in all: a service, or benchmarks,\nwhich share the time and run twice")
	fl.StringVar(&f.dir, "dir", ".", "the program's module is in this `folder`")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.BoolVar(&f.diff, "diff", false, "print the changes as a patch")
	fl.BoolVar(&f.fix, "fix", false, "make the changes that need nobody to decide")
	return cmd
}

// advise checks all arguments before it takes any time.
func (f *flags) advise(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if f.seconds < 1 || f.seconds > 3600 {
		return fmt.Errorf("--seconds %d: must be between 1 and 3600", f.seconds)
	}
	switch {
	case f.diff && (f.fix || f.json):
		return errors.New("--diff prints a patch alone: leave --fix and --json out")
	case f.compare && (f.bench != "" || f.against != "" || len(args) != 2):
		return errors.New("--compare needs two files that octet advise --bench --json wrote, and no other flag but --json")
	case f.against != "" && f.bench == "":
		return errors.New("--against needs --bench, which says what to run")
	case f.bench != "" && len(args) != 1:
		return errors.New("--bench needs one package, such as . or ./wire")
	case f.bench == "" && len(args) == 0:
		return errors.New("profiles are missing: name two files, or an address of net/http/pprof, or use --bench")
	}
	if f.compare {
		c, err := compareFiles(args)
		if err != nil {
			return err
		}
		return c.write(stdout, f.json)
	}
	tree, err := source.Open(f.dir)
	if err != nil {
		return err
	}
	doing := newProgress(stderr)
	defer doing.Finish()
	if f.against != "" {
		pairs, left, err := profiles.Against(ctx, f.dir, f.bench, args[0], f.against, time.Duration(f.seconds)*time.Second, doing.Describe)
		if err != nil {
			return err
		}
		doing.Finish()
		return compareRevisions(pairs, f.against, left).write(stdout, f.json)
	}
	doing.Describe("measuring this machine")
	machine := cost.Calibrate() // while the heap is small
	runs, err := f.read(ctx, args, doing)
	if err != nil {
		return err
	}
	doing.Describe("reading the source")
	a, err := advise(tree, runs, machine)
	if err != nil {
		return err
	}
	doing.Finish()
	if f.diff || f.fix {
		if err := f.change(tree, a, stdout, stderr); err != nil || f.diff { // a patch stands alone
			return err
		}
	}
	if f.json {
		return writeJSON(stdout, a)
	}
	return writeText(stdout, a)
}

// change prints what changes at the sites, or changes it.
func (f *flags) change(tree *source.Tree, a *Advice, stdout, stderr io.Writer) error {
	var sites []*source.Site
	for _, s := range a.Sites {
		sites = append(sites, &s.Site)
	}
	p, err := change.New(tree, sites, f.diff)
	if err != nil {
		return err
	}
	if f.diff {
		return p.Diff(stdout)
	}
	for _, note := range p.Notes {
		fmt.Fprintln(stderr, printable(note))
	}
	return p.Apply()
}

// read returns the profiles.
func (f *flags) read(ctx context.Context, args []string, doing *progressbar.ProgressBar) (*profiles.Runs, error) {
	d := time.Duration(f.seconds) * time.Second
	if f.bench != "" {
		return profiles.Bench(ctx, f.dir, f.bench, args[0], d, doing.Describe)
	}
	set := new(profiles.Set)
	var addresses []string
	for _, arg := range args {
		if profiles.IsAddress(arg) {
			addresses = append(addresses, arg)
			continue
		}
		doing.Describe("reading " + printable(arg))
		if err := set.ReadFile(arg); err != nil {
			return nil, err
		}
	}
	if len(addresses) > 0 {
		doing.Describe("profiling the service for " + d.String())
		if err := set.Fetch(ctx, addresses, d); err != nil {
			return nil, err
		}
	}
	const take = "%s is missing: take one over the same time, by go test %s or /debug/pprof/%s?seconds=30"
	switch {
	case set.CPU == nil:
		return nil, fmt.Errorf(take, "a profile of processor time", "-cpuprofile", "profile")
	case set.Allocs == nil:
		return nil, fmt.Errorf(take, "a profile of allocations", "-memprofile", "allocs")
	}
	return &profiles.Runs{Own: set}, nil
}

// newProgress shows on a terminal what is being done and for how long, and nothing elsewhere.
func newProgress(w io.Writer) *progressbar.ProgressBar {
	f, ok := w.(*os.File)
	return progressbar.NewOptions(-1,
		progressbar.OptionSetVisibility(ok && term.IsTerminal(int(f.Fd()))),
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)
}
