// Package measure runs contests.
//
// A run has rounds. In every round, the contestants of each row take one short
// slice of time each, one right after another and in a new random order; then
// comes the next row. A contestant's samples are thus spread over the whole
// run, and a disturbance of the machine, whether for a millisecond or for half
// a minute, affects all contestants of a row alike.
//
// Every slice starts afresh, so that the spread of the samples includes what
// depends on where memory happens to lie.
//
// # Map
//
//	measure.go      Run: rounds, and what they add up to
//	sample.go       takes a sample, and estimates how many operations it has
//	child.go        takes a sample in a child process
//	usage_unix.go, usage_other.go
//	                what a process has used, as its system counts it
package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Options say how much to measure.
type Options struct {
	Rounds        int           // samples per contestant
	ProcessRounds int           // of rows with child processes
	Time          time.Duration // for all rows without, on a machine that is not busy otherwise
	MaxSlice      time.Duration // bounds the length of a slice; 0 is no bound
	Env           []string      // added to the environment of all child processes

	// Layouts, if there are any, are builds of this program that differ in the order of their
	// functions. All samples are then taken in child processes. Each round has those of another
	// build, for which Rounds and Time are meant.
	Layouts []string

	// Progress, if not nil, is called between slices with how many of them
	// are done.
	Progress func(done, total int)
}

// A busy machine takes longer than planned. Shorter slices would be less
// accurate, so there are fewer rounds instead: no round begins once the time is
// exceeded by the part 1/lateness. An interval at 95 % needs six rounds.
const (
	lateness     = 4
	fewestRounds = 8
)

// An entrant is a contestant in its row.
type entrant struct {
	group string
	row   *contest.Row
	c     *contest.Contestant
}

// Run measures all rows of all groups, first those with child processes, and gives the
// contestants their samples. There are fewer than rounds if time runs out. It returns an
// error if ctx ends or a child process fails.
func Run(ctx context.Context, groups []contest.Group, o Options) error {
	apart, here := enter(groups, o)
	entrants := len(slices.Concat(here...))
	processes, roundsApart := len(slices.Concat(apart...)), o.ProcessRounds
	if o.Layouts != nil {
		roundsApart = len(o.Layouts)
	}
	done, total := 0, roundsApart*processes+(o.Rounds+1)*entrants // calibration counts as a round
	each := func(rows [][]entrant, do func(entrant) error) error {
		for _, row := range rows {
			for _, i := range rand.Perm(len(row)) {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := do(row[i]); err != nil {
					return fmt.Errorf("%s/%s: %s: %w", row[i].group, row[i].row.Name, row[i].c.Name, err)
				}
				done++
				if o.Progress != nil {
					o.Progress(done, total)
				}
			}
		}
		return nil
	}

	share := o.Time / time.Duration(max(1, processes))
	for round := range roundsApart {
		if err := each(apart, func(e entrant) error { return e.sampleApart(ctx, round, share, o) }); err != nil {
			return err
		}
	}

	began := time.Now()
	slice := sliceLength(entrants, o)
	for round := -1; round < o.Rounds; round++ { // the first one calibrates
		if round >= fewestRounds && time.Since(began) > o.Time+o.Time/lateness {
			break
		}
		err := each(here, func(e entrant) error {
			if round < 0 {
				calibrate(e.c, max(1, e.row.Least), slice)
			} else {
				e.add(sample(e.c))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// enter returns the contestants by row: those of rows with child processes, and those of the
// others.
func enter(groups []contest.Group, o Options) (apart, here [][]entrant) {
	for _, g := range groups {
		for i := range g.Rows {
			r := &g.Rows[i]
			row := make([]entrant, len(r.Contestants))
			for j := range row {
				row[j] = entrant{g.Name, r, &r.Contestants[j]}
				row[j].c.Samples = make(map[string][]float64)
			}
			if r.Process != nil || o.Layouts != nil {
				apart = append(apart, row)
			} else {
				here = append(here, row)
			}
		}
	}
	return apart, here
}

// add adds a sample to the others.
func (e entrant) add(units map[string]float64) {
	for unit, v := range units {
		e.c.Samples[unit] = append(e.c.Samples[unit], v)
	}
}
