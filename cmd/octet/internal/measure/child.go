package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/process"
)

// A Task names the contestant whose sample a child takes.
type Task struct {
	Group, Row, Contestant string
}

// A child is how the samples of a contestant are taken in child processes.
type child struct {
	task   Task
	env    []string
	rounds int
	n      int // operations
}

func newChild(p *contest.Process, contestant *contest.Contestant, t Task, o Options) *child {
	c := &child{task: t, env: slices.Concat(p.Env, o.Env), rounds: o.Rounds, n: operations(p, contestant)}
	if p.Rounds > 0 {
		c.rounds = min(p.Rounds, o.Rounds)
	}
	return c
}

// sample takes a sample.
func (c *child) sample(ctx context.Context) (map[string]float64, error) {
	units, cpu, err := process.Run[Task, map[string]float64](ctx, c.env, c.task)
	if _, ok := units[contest.CPU]; !ok && err == nil { // the child cannot know
		units[contest.CPU] = float64(cpu.Nanoseconds()) / float64(c.n)
	}
	return units, err
}

// Take is the child's part: it takes a sample of the contestant that the task
// names and returns the figures by unit.
func Take(groups []contest.Group, t Task) (map[string]float64, error) {
	row, c := find(groups, t)
	if c == nil || row.Process == nil {
		return nil, fmt.Errorf("no contestant %+v runs in a child process", t)
	}
	n := operations(row.Process, c)
	before := process.Self()
	run := c.Start()
	began := process.Self().CPU
	counts := count(func() { run.Do(n) })
	after := process.Self()
	units, err := finish(run)
	if err != nil {
		return nil, err
	}
	counts.add(units, n)
	units[contest.GCs] = float64(counts.after.NumGC-counts.before.NumGC) / float64(n)
	if after.CPU > 0 {
		units[contest.CPU] = float64((after.CPU - began).Nanoseconds()) / float64(n)
	}
	if after.MaxRSS > 0 {
		units[contest.RSS] = float64(after.MaxRSS - before.MaxRSS)
	}
	return units, nil
}

func operations(p *contest.Process, c *contest.Contestant) int {
	return max(1, cmp.Or(c.Operations, p.Operations))
}

func find(groups []contest.Group, t Task) (*contest.Row, *contest.Contestant) {
	for _, g := range groups {
		for i := range g.Rows {
			for j := range g.Rows[i].Contestants {
				if t == (Task{g.Name, g.Rows[i].Name, g.Rows[i].Contestants[j].Name}) {
					return &g.Rows[i], &g.Rows[i].Contestants[j]
				}
			}
		}
	}
	return nil, nil
}
