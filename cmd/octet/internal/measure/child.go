package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Some things can only be compared between processes: what a limit on memory
// (GOMEMLIMIT) does, how much processor time is used, the most memory that is ever occupied,
// and builds of a program. A process of its own also frees a contestant from what an earlier
// one left behind, such as a large heap.
//
// A child is this program, or a build of it, started with the argument Subcommand
// and a Task. It looks the contestant up in its own groups, by name: Start
// runs in another process than the call that listed the group, so it must not depend on
// state of the parent. It writes the figures by unit to stdout, and exits when its parent does.

// Subcommand is the argument with which children are started.
const Subcommand = "child"

// A Task says which sample a child takes.
type Task struct {
	Group, Row, Contestant string

	// In a row without a Process, the sample has the medians of so many slices within this time.
	Rounds int
	Time   time.Duration
}

// sampleApart takes the sample of a round in a child process, which has that share of the
// time if its row does not state the work.
func (e entrant) sampleApart(ctx context.Context, round int, share time.Duration, o Options) error {
	task := Task{Group: e.group, Row: e.row.Name, Contestant: e.c.Name}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if o.Layouts != nil {
		program, task.Rounds, task.Time = o.Layouts[round], o.Rounds, share
	}
	env := o.Env
	if p := e.row.Process; p != nil {
		env, e.c.N = slices.Concat(p.Env, env), p.Operations
	}
	units, cpu, err := run(ctx, program, env, task)
	if err != nil {
		return err
	}
	if _, ok := units[contest.CPU]; !ok && e.row.Process != nil { // the child cannot know
		units[contest.CPU] = float64(cpu.Nanoseconds()) / float64(e.c.N)
	}
	e.add(units)
	return nil
}

// run runs a program as a child with env added to the environment, and returns the figures by
// unit and the processor time that it used. If ctx ends, the child is killed.
func run(ctx context.Context, program string, env []string, t Task) (units map[string]float64, cpu time.Duration, err error) {
	task, err := json.Marshal(t)
	if err != nil {
		return nil, 0, err
	}
	cmd := exec.CommandContext(ctx, program, Subcommand, string(task))
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second            // in case a grandchild holds the pipes open
	if _, err := cmd.StdinPipe(); err != nil { // open until the child exits, or this process dies
		return nil, 0, err
	}
	answer, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("the process exited without an answer: %w", err)
	}
	return units, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), json.Unmarshal(answer, &units)
}

// Serve is the child's part: it takes the sample of the task and writes the figures to w.
func Serve(groups []contest.Group, task string, w io.Writer) error {
	var t Task
	if err := json.Unmarshal([]byte(task), &t); err != nil {
		return fmt.Errorf("%s is internal to octet, which passes it a task: %w", Subcommand, err)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // the parent is gone
	}()
	units, err := take(groups, t)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(units)
}

func take(groups []contest.Group, t Task) (map[string]float64, error) {
	row, c := find(groups, t)
	if c == nil {
		return nil, fmt.Errorf("there is no contestant %+v", t)
	}
	if row.Process == nil {
		alone := []contest.Group{{Rows: []contest.Row{{Least: row.Least, Contestants: []contest.Contestant{*c}}}}}
		if err := Run(context.Background(), alone, Options{Rounds: t.Rounds, Time: t.Time}); err != nil {
			return nil, err
		}
		units := make(map[string]float64)
		for unit, values := range alone[0].Rows[0].Contestants[0].Samples {
			units[unit] = contest.Median(values).Center
		}
		return units, nil
	}
	n := row.Process.Operations
	_, before := Used()
	do := c.Start()
	began, _ := Used()
	units := work(do, n)
	ended, rss := Used()
	if ended > 0 {
		units[contest.CPU] = float64((ended - began).Nanoseconds()) / float64(n)
	}
	if rss > 0 {
		units[contest.RSS] = float64(rss - before)
	}
	return units, nil
}

func find(groups []contest.Group, t Task) (*contest.Row, *contest.Contestant) {
	for _, g := range groups {
		for i := range g.Rows {
			for j := range g.Rows[i].Contestants {
				if r := &g.Rows[i]; g.Name == t.Group && r.Name == t.Row && r.Contestants[j].Name == t.Contestant {
					return r, &r.Contestants[j]
				}
			}
		}
	}
	return nil, nil
}
