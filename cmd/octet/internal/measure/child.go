package measure

import (
	"context"
	"fmt"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/process"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// A Task names the contestant whose sample a child takes.
type Task struct {
	Group, Row, Contestant string
}

// sampleInChild takes a sample in a child process and adds what the system
// counted for it.
func (e *entrant) sampleInChild(ctx context.Context) (map[string]float64, error) {
	units, usage, err := process.Run[Task, map[string]float64](ctx, e.process.Env, e.task)
	if err != nil {
		return nil, err
	}
	units[sample.CPU] = float64(usage.CPU.Nanoseconds()) / float64(e.n)
	if usage.MaxRSS > 0 {
		units[sample.RSS] = float64(usage.MaxRSS)
	}
	return units, nil
}

// Take is the child's part: it takes a sample of the contestant that the task
// names and returns the figures by unit.
func Take(groups []contest.Group, t Task) (map[string]float64, error) {
	row, c := find(groups, t)
	if c == nil || row.Process == nil {
		return nil, fmt.Errorf("no contestant %+v runs in a child process", t)
	}
	n := max(1, row.Process.Operations)
	run := c.Start()
	var counts *counted
	heapPeak := peak(func() { counts = count(func() { run.Do(n) }) })
	units, err := finish(run)
	if err != nil {
		return nil, err
	}
	counts.add(units, n)
	counts.addHeap(units, n, heapPeak)
	return units, nil
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
