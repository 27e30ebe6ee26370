package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// Where the linker happens to put functions changes the time of an operation of a few
// nanoseconds by up to 15 %. --layouts measures with several builds of this program, each
// with its functions in another random order, and takes the median of each as one sample.

const (
	layoutsDefault = 8
	layoutTime     = 15 * time.Second // for each, unless --time was given

	// layoutRows are the rows that layouts decide: a few nanoseconds each.
	layoutRows = `^pool/(steps=4/)?mode=(serial|parallel)/(sizes?|held)=|^buffer/.*/writes=1/size=1024|^string/op=String/size=(5|128)$`
)

// layouts measures rows with several layouts of the program. It calls step after each build
// and each measurement.
func (f *flags) measureLayouts(ctx context.Context, step func(done, total int)) ([]contest.Group, error) {
	dir, err := os.MkdirTemp("", "octet-layouts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := func(layout int) string { return filepath.Join(dir, fmt.Sprint("octet-", layout)) }
	for i := range f.layouts {
		if err := build(ctx, program(i), i+1); err != nil {
			return nil, err
		}
		step(i+1, 2*f.layouts)
	}
	var groups []contest.Group
	for i := range f.layouts {
		run, err := f.measureWith(ctx, program(i), filepath.Join(dir, "run.json"))
		if err != nil {
			return nil, fmt.Errorf("layout %d: %w", i+1, err)
		}
		groups = addMedians(groups, run.Groups)
		step(f.layouts+i+1, 2*f.layouts)
	}
	return groups, nil
}

// build builds this program from source, with a layout of its own for each seed.
func build(ctx context.Context, output string, seed int) error {
	const what = root + "/cmd/octet"
	err := runQuietly(exec.CommandContext(ctx, "go", "build", "-o", output, "-ldflags=-randlayout="+strconv.Itoa(seed), what))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("--layouts builds octet with the go command, which is missing: %w", err)
	case err != nil:
		return fmt.Errorf("--layouts builds octet from source: run it in a checkout of %s: %w", root, err)
	}
	return nil
}

// measureWith measures the rows with a build of this program.
func (f *flags) measureWith(ctx context.Context, program, file string) (run contest.Result, err error) {
	args := []string{"bench", "--run", f.run, "--rounds", strconv.Itoa(f.rounds), "--time", (f.time / time.Duration(f.layouts)).String(), "-o", file}
	if f.procs > 0 {
		args = append(args, "--procs", strconv.Itoa(f.procs))
	}
	err = runQuietly(exec.CommandContext(ctx, program, args...))
	if ctx.Err() != nil {
		return run, ctx.Err()
	}
	if err != nil {
		return run, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return run, err
	}
	return run, json.Unmarshal(data, &run)
}

// runQuietly runs a command and returns what it wrote to stderr as an error, if it fails.
func runQuietly(cmd *exec.Cmd) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if said := strings.TrimSpace(stderr.String()); err != nil && said != "" {
		return errors.New(said)
	}
	return err
}

// addMedians adds to the samples of all groups the medians of those of one more run of the
// same rows.
func addMedians(all, run []contest.Group) []contest.Group {
	first := all == nil
	if first {
		all = run
	}
	for i := range run {
		for j := range run[i].Rows {
			for k, c := range run[i].Rows[j].Contestants {
				to := &all[i].Rows[j].Contestants[k]
				for unit, values := range c.Samples {
					median := summary.Median(values).Center
					if first {
						to.Samples[unit] = nil
					}
					to.Samples[unit] = append(to.Samples[unit], median)
				}
			}
		}
	}
	return all
}
