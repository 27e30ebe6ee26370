// Package measure runs contests.
//
// A run has rounds. In every round each row's contestants take one short slice
// each, right after one another and in an order that is shuffled anew; then
// comes the next row. So a contestant's samples are spread over the whole run,
// and whatever the machine does meanwhile, for a millisecond or for half a
// minute, hits the contestants of a row alike.
//
// Every slice has a fresh start of its own: the spread of the samples contains
// what depends on where memory happened to lie.
//
// Before the first round, calibration finds what an operation takes, and a round
// of trial corrects that: a first operation costs more than the thousandth. Rows
// whose samples are taken in processes of their own say themselves how many
// operations a sample has, and take part in the rounds alone.
//
//	calibrate.go  finds what an operation takes, once per contestant
//	plan.go       divides the time among the contestants
//	slice.go      takes one sample
//	child.go      takes one in a process of its own
//	heap.go       watches the heap's peak
package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// Options say how long to measure.
type Options struct {
	Rounds int           // samples per contestant
	Fewest int           // of them even if time runs out; at least 8
	Time   time.Duration // for everything together, if nobody else needs the machine

	// MaxSlice bounds a slice where Time would allow more; 0 is no bound.
	MaxSlice time.Duration

	// Progress is told, between slices, how many of them are done; nil tells
	// nobody.
	Progress func(done, total int)
}

// A machine that others use as well may take longer than planned. Shorter slices
// would say less, so there are fewer rounds then: when the time is exceeded by
// one part in lateness, no further one begins. Six are needed for an interval at
// 95 %, and eight against ten to tell one change among a thousand comparisons.
const (
	lateness     = 4
	fewestRounds = 8
)

// An entrant is a contestant with what the run needs to know about it.
type entrant struct {
	label string // for errors
	c     *contest.Contestant
	least int  // as in contest.Row, but at least 1
	heap  bool // likewise

	process *contest.Process // where samples are taken; nil is in this process
	task    Task             // for such a process

	cost  cost
	cycle int                // operations from one collection to the next; 0 if that does not matter
	n     int                // operations in a slice
	out   *sample.Contestant // where its samples go
}

// Run measures all rows of all groups. There are fewer samples than rounds if
// time ran out. It returns an error if the context ends
// or a contestant reports one.
func Run(ctx context.Context, groups []contest.Group, o Options) ([]sample.Group, error) {
	began := time.Now()
	result, rows := enter(groups)

	here := slices.DeleteFunc(slices.Clone(rows), func(row []*entrant) bool { return len(row) > 0 && row[0].process != nil })
	done, total := 0, 2*entrants(here)+o.Rounds*entrants(rows) // calibration and trial are rounds as well
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

	try := probe(o, entrants(here))
	for _, row := range here {
		if err := each(row, func(e *entrant) error { return calibrate(e, try) }); err != nil {
			return nil, err
		}
	}
	plan(here, o.Rounds+1, o.MaxSlice, o.Time-time.Since(began))
	for _, row := range here {
		if err := each(row, trial); err != nil {
			return nil, err
		}
	}
	plan(here, o.Rounds, o.MaxSlice, o.Time-time.Since(began))
	for round := range o.Rounds {
		if round >= max(o.Fewest, fewestRounds) && time.Since(began) > o.Time+o.Time/lateness {
			break
		}
		for _, row := range rows {
			if err := each(row, func(e *entrant) error { return record(ctx, e) }); err != nil {
				return nil, err
			}
		}
	}
	return result, nil
}

// enter lists the contestants by row, and makes room for their samples.
func enter(groups []contest.Group) ([]sample.Group, [][]*entrant) {
	var rows [][]*entrant
	result := make([]sample.Group, len(groups))
	for i, g := range groups {
		result[i] = sample.Group{Name: g.Name, About: g.About, Rows: make([]sample.Row, len(g.Rows))}
		for j, r := range g.Rows {
			out := &result[i].Rows[j]
			*out = sample.Row{Name: r.Name, Bytes: r.Bytes, Floor: r.Floor, Unit: r.Unit, Aside: r.Aside, Against: r.Against,
				Contestants: make([]sample.Contestant, len(r.Contestants))}
			row := make([]*entrant, len(r.Contestants))
			for k := range r.Contestants {
				c := &r.Contestants[k]
				out.Contestants[k] = sample.Contestant{Name: c.Name, Ours: c.Ours, Samples: make(map[string][]float64)}
				row[k] = &entrant{
					label: fmt.Sprintf("%s/%s: %s", g.Name, r.Name, c.Name),
					c:     c,
					least: max(1, r.Least),
					heap:  r.Heap,
					out:   &out.Contestants[k],
				}
				if r.Process != nil {
					row[k].process, row[k].task = r.Process, Task{g.Name, r.Name, c.Name}
					row[k].n = max(1, r.Process.Operations)
					row[k].out.N = row[k].n
				}
			}
			rows = append(rows, row)
		}
	}
	return result, rows
}

// entrants counts those of all rows.
func entrants(rows [][]*entrant) int {
	n := 0
	for _, row := range rows {
		n += len(row)
	}
	return n
}
