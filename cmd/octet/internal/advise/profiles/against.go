package profiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Pair is what a benchmark took before a change and after it, in seconds of processor time an operation, by run.
type Pair struct {
	Name          string
	Before, After []float64
	Bytes         [2]float64 // an operation, before and after
}

// Against runs the benchmarks of a package that match, as they are and as they were in another revision, in turn, for about
// d in all. notRun names those for which there is no time.
func Against(ctx context.Context, dir, pattern, pkg, revision string, d time.Duration, step func(string)) (all []Pair, notRun []string, err error) {
	tmp, err := os.MkdirTemp("", "octet-advise")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(tmp)
	inside, err := run(ctx, dir, "git", "rev-parse", "--show-prefix")
	if err != nil {
		return nil, nil, fmt.Errorf("--against needs a repository of git: %w", err)
	}
	step("building the test of " + revision)
	tree := filepath.Join(tmp, "tree")
	if _, err := run(ctx, dir, "git", "worktree", "add", "--detach", tree, revision); err != nil {
		return nil, nil, fmt.Errorf("--against %s: %w", revision, err)
	}
	defer run(context.WithoutCancel(ctx), dir, "git", "worktree", "remove", "--force", tree)
	before, err := Build(ctx, filepath.Join(tree, strings.TrimSpace(inside)), pkg, filepath.Join(tmp, "before"))
	if err != nil {
		return nil, nil, fmt.Errorf("in %s: %w", revision, err)
	}
	step("building the test")
	after, err := Build(ctx, dir, pkg, filepath.Join(tmp, "after"))
	if err != nil {
		return nil, nil, err
	}
	end := time.Now().Add(d)
	plan, err := after.Plan(ctx, pattern, d, step, measured, 2*(2*Repeats+1), 2*(Repeats+1))
	if err != nil {
		return nil, nil, err
	}
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	for i, b := range plan.Run {
		step(fmt.Sprintf("%s, %d of %d benchmarks", b.Name, i+1, len(plan.Run)))
		pair, err := before.pair(limited, after, b, plan)
		switch out := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil; {
		case err != nil && !out:
			return nil, nil, err
		case len(pair.After) < Repeats:
			notRun = append(notRun, b.Name)
		default:
			pair.Before = pair.Before[:len(pair.After)]
			all = append(all, pair)
		}
	}
	return all, append(notRun, plan.NotRun...), nil
}

// pair measures a benchmark. Both run the same count of operations, as many as the slower one has time for; what a run takes
// besides, such as to begin, is what one of a single operation takes.
func (t *Test) pair(ctx context.Context, after *Test, b Result, plan *Plan) (Pair, error) {
	p := Pair{Name: b.Name}
	pattern, n, base := Exactly([]Result{b}), 0, [2]time.Duration{}
	for i, test := range []*Test{t, after} {
		all, _, err := test.Run(ctx, pattern, plan.Each.String(), nil, nil)
		if err != nil {
			return p, err
		}
		if n == 0 || all[0].N < n {
			n = all[0].N
		}
		if _, base[i], err = test.Run(ctx, pattern, "1x", nil, nil); err != nil {
			return p, err
		}
	}
	if n < 2 {
		return p, nil // there is time for one operation alone
	}
	for range plan.Repeats/2 - 1 {
		for i, test := range []*Test{t, after} {
			all, cpu, err := test.Run(ctx, pattern, fmt.Sprintf("%dx", n), nil, nil)
			if err != nil {
				return p, err
			}
			p.Bytes[i] = all[0].Per["B/op"]
			took := max(0, cpu-base[i]).Seconds() / float64(n-1)
			if i == 0 {
				p.Before = append(p.Before, took)
			} else {
				p.After = append(p.After, took)
			}
		}
	}
	return p, nil
}
