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
// Before the first round, calibration estimates the cost of an operation, and a
// trial round corrects the estimate: the first operation costs more than the
// thousandth. Rows whose samples are taken in child processes state their
// number of operations themselves and need neither.
//
// # Map
//
//	measure.go    Run: rounds, and what they add up to
//	calibrate.go  estimates the cost of an operation, once per contestant
//	plan.go       divides the time among the contestants
//	slice.go      takes a sample
//	child.go      takes a sample in a child process
package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Options say how much to measure.
type Options struct {
	Rounds   int           // samples per contestant
	Time     time.Duration // for all rows without child processes, on a machine that is not busy otherwise
	MaxSlice time.Duration // bounds the length of a slice; 0 is no bound
	Env      []string      // added to the environment of all child processes

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

// An entrant is a contestant with its state in the run.
type entrant struct {
	label   string // for errors
	c       *contest.Contestant
	least   int    // as in contest.Row, but at least 1
	process *child // nil if samples are taken in this process
	cost    cost
	cycle   int // operations between two collections; 0 if that does not matter
}

// Run measures all rows of all groups, first those with child processes, and gives the
// contestants their samples. There are fewer than rounds if time runs out. It returns an
// error if ctx ends or a contestant reports one.
func Run(ctx context.Context, groups []contest.Group, o Options) error {
	apart, here := enter(groups, o)
	done, total := 0, (o.Rounds+2)*entrants(here) // calibration and trial count as rounds
	for _, row := range apart {
		for _, e := range row {
			total += e.process.rounds
		}
	}
	each := func(row []*entrant, do func(*entrant) error) error {
		for _, i := range rand.Perm(len(row)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(row[i]); err != nil {
				return fmt.Errorf("%s: %w", row[i].label, err)
			}
			done++
			if o.Progress != nil {
				o.Progress(done, total)
			}
		}
		return nil
	}

	for round := range o.Rounds {
		for _, row := range apart {
			if round < row[0].process.rounds {
				if err := each(row, func(e *entrant) error { return record(ctx, e) }); err != nil {
					return err
				}
			}
		}
	}

	began := time.Now()
	try := probe(o, entrants(here))
	for _, row := range here {
		if err := each(row, func(e *entrant) error { return calibrate(e, try) }); err != nil {
			return err
		}
	}
	plan(here, o.Rounds+1, o.MaxSlice, o.Time-time.Since(began))
	for _, row := range here {
		if err := each(row, trial); err != nil {
			return err
		}
	}
	plan(here, o.Rounds, o.MaxSlice, o.Time-time.Since(began))
	for round := range o.Rounds {
		if round >= fewestRounds && time.Since(began) > o.Time+o.Time/lateness {
			break
		}
		for _, row := range here {
			if err := each(row, func(e *entrant) error { return record(ctx, e) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter returns the contestants by row: those of rows with child processes, and those of the
// others.
func enter(groups []contest.Group, o Options) (apart, here [][]*entrant) {
	for _, g := range groups {
		for _, r := range g.Rows {
			row := make([]*entrant, len(r.Contestants))
			for i := range r.Contestants {
				c := &r.Contestants[i]
				c.Samples = make(map[string][]float64)
				row[i] = &entrant{label: fmt.Sprintf("%s/%s: %s", g.Name, r.Name, c.Name), c: c, least: max(1, r.Least)}
				if r.Process != nil {
					row[i].process = newChild(r.Process, c, Task{g.Name, r.Name, c.Name}, o)
					c.N = row[i].process.n
				}
			}
			if r.Process != nil {
				apart = append(apart, row)
			} else {
				here = append(here, row)
			}
		}
	}
	return apart, here
}

// entrants returns the number of entrants in all rows.
func entrants(rows [][]*entrant) int {
	n := 0
	for _, row := range rows {
		n += len(row)
	}
	return n
}
