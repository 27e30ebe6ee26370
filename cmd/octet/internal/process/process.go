// Package process does work in child processes: copies of this program, one for
// each task.
//
// Some things can only be compared between processes: what a limit on memory
// (GOMEMLIMIT) does, how much processor time is used, and the most memory that
// is ever occupied. A process of its own also frees a contestant from what an
// earlier one left behind, such as a large heap.
//
//	parent                               child
//	Run starts os.Executable() with      main sees the argument and calls Serve,
//	the argument [Subcommand] and        which reads the task, calls the
//	writes the task to its stdin         function that does the work, and
//	reads the answer                     writes the result to stdout
//
// Task and answer are JSON. Whatever else the child prints goes to stderr, and
// becomes part of the error if the child fails. A child exits when its parent
// does.
//
// Rows of benchmarks with a contest.Process run so: in each round, package measure starts
// one child for each contestant, which looks it up in its own groups.All, by name. Its
// Start runs in another process than the call of groups.All that listed the group, so it
// must not depend on state of the parent.
package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Subcommand is the argument with which children are started.
const Subcommand = "child"

// Usage is what a process has used since its start, as counted by the system. What is
// unknown is 0.
type Usage struct {
	CPU    time.Duration // processor time, user and system
	MaxRSS int64         // the most memory that was ever resident, in bytes
}

// reply is what a child writes: either an answer or an error.
type reply[Answer any] struct {
	Answer Answer `json:"answer"`
	Error  string `json:"error,omitempty"`
}

// Run starts this program with env added to the environment, passes it the
// task, and returns its answer and the processor time that it used. It returns when
// the child has exited. If ctx ends before that, the child is killed.
func Run[Task, Answer any](ctx context.Context, env []string, task Task) (Answer, time.Duration, error) {
	var got reply[Answer]
	self, err := os.Executable()
	if err != nil {
		return got.Answer, 0, err
	}
	cmd := exec.CommandContext(ctx, self, Subcommand)
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second // in case a grandchild holds the pipes open
	var stdout bytes.Buffer
	var stderr tail
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	stdin, err := cmd.StdinPipe() // open until the child exits, or this process dies
	if err != nil {
		return got.Answer, 0, err
	}
	if err := cmd.Start(); err != nil {
		return got.Answer, 0, err
	}
	wrote := json.NewEncoder(stdin).Encode(task)
	err = cmd.Wait()
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && wrote != nil:
		err = wrote
	case err == nil:
		if err = json.Unmarshal(stdout.Bytes(), &got); err != nil {
			err = fmt.Errorf("cannot read the answer of the process: %w", err)
		} else if got.Error != "" {
			err = errors.New(got.Error)
		}
	default:
		err = fmt.Errorf("the process exited without an answer: %w%s", err, stderr.last())
	}
	return got.Answer, cpu, err
}

// Serve is the child's part: it reads the task, calls do, and writes the
// answer. A program that is started with Subcommand as its only argument calls
// Serve and exits. While do runs, os.Stdout is os.Stderr.
func Serve[Task, Answer any](do func(Task) (Answer, error)) error {
	stdout := os.Stdout
	os.Stdout = os.Stderr
	defer func() { os.Stdout = stdout }()

	var task Task
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&task); err != nil {
		return fmt.Errorf("%s is internal to octet, which passes it a task on stdin: %w", Subcommand, err)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // the parent is gone
	}()

	var r reply[Answer]
	var err error
	if r.Answer, err = do(task); err != nil {
		r.Error = err.Error()
	}
	return json.NewEncoder(stdout).Encode(r)
}

// tail keeps the last bytes that are written to it.
type tail struct{ b []byte }

const tailLen = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*tailLen {
		t.b = append(t.b[:0], t.b[len(t.b)-tailLen:]...)
	}
	return len(p), nil
}

// last returns the last bytes, formatted for an error: with a colon in front,
// or "" if there are none.
func (t *tail) last() string {
	s := strings.TrimSpace(string(t.b[max(0, len(t.b)-tailLen):]))
	if s == "" {
		return ""
	}
	return ": " + s
}
