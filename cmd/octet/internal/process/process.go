// Package process has work done in processes of its own: copies of this program,
// one for each task.
//
// Some things hold for a whole process and can only be compared between
// processes: a limit on memory (GOMEMLIMIT), the processor time that is used, the
// most memory that is ever occupied. And what one contestant leaves behind, such
// as a large heap, must not be the next one's burden.
//
//	parent                               child
//	Run starts os.Executable()           main sees the argument [Subcommand]
//	and writes the task to its stdin     and calls Serve, which reads the task,
//	                                     calls the function that does the work,
//	and reads the answer                 and writes what that returns to stdout
//
// Task and answer are JSON. Whatever else the child prints goes to stderr, and
// becomes part of the error if it fails. A child ends when its parent does.
//
// # A group of benchmarks whose contestants run in processes of their own
//
// Such a group is written like any other; nothing in it calls this package. Give
// its rows a [contest.Process]:
//
//	func Memory() contest.Group {
//		return contest.Group{
//			Name:  "memory",
//			About: "A burst of 256 slices is taken and released between collections, with a limit of 64 MiB.",
//			OptIn: true, // runs only if --run contains "memory"
//			Rows: []contest.Row{{
//				Name:    "op=burst/limit=64MiB",
//				Unit:    sample.CPU, // what contestants are compared in
//				Process: &contest.Process{Operations: 1000, Env: []string{"GOMEMLIMIT=64MiB"}},
//				Contestants: []contest.Contestant{
//					{Name: "octet", Ours: true, Start: startOctet},
//					{Name: "sync.Pool", Start: startSyncPool},
//				},
//			}},
//		}
//	}
//
// and list it in groups.All. In each round, package measure starts a process for
// each contestant in turn. The child finds the contestant by its name, as its own
// groups.All returns it, calls Start, Do(1000), Err, Metrics and Stop, and reports
// the units that every row has, those of Metrics, the collections and the heap's
// peak; Run adds processor time and memory as the system counts them. Medians,
// intervals, ratios and the verdict then follow as for every row.
//
// Two things to mind: Start builds what it needs from constants alone, since it
// runs in another process than the one that made the list; and Operations should
// take about a second, because starting the process is counted as well.
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

// Subcommand is the argument with which a child is started.
const Subcommand = "child"

// Usage is what a process used from its start to its end, as the system counted
// it.
type Usage struct {
	CPU    time.Duration // processor time, the user's and the system's
	MaxRSS int64         // the most memory that was resident, in bytes; 0 if unknown
}

// reply is what a child writes: an answer or an error.
type reply[Answer any] struct {
	Answer Answer `json:"answer"`
	Error  string `json:"error,omitempty"`
}

// Run starts this program anew, with env added to the environment, has it do the
// task, and returns its answer when it has ended. If ctx ends before, the child
// is killed.
func Run[Task, Answer any](ctx context.Context, env []string, task Task) (Answer, Usage, error) {
	var got reply[Answer]
	self, err := os.Executable()
	if err != nil {
		return got.Answer, Usage{}, err
	}
	cmd := exec.CommandContext(ctx, self, Subcommand)
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second // a grandchild may hold the pipes
	var stdout bytes.Buffer
	var stderr tail
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	stdin, err := cmd.StdinPipe() // Wait closes it: the child sees its end if this process dies
	if err != nil {
		return got.Answer, Usage{}, err
	}
	if err := cmd.Start(); err != nil {
		return got.Answer, Usage{}, err
	}
	wrote := json.NewEncoder(stdin).Encode(task)
	err = cmd.Wait()
	usage := Usage{CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), MaxRSS: maxRSS(cmd.ProcessState)}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && wrote != nil:
		err = wrote
	case err == nil:
		if err = json.Unmarshal(stdout.Bytes(), &got); err != nil {
			err = fmt.Errorf("the answer of the process cannot be read: %w", err)
		} else if got.Error != "" {
			err = errors.New(got.Error)
		}
	default:
		err = fmt.Errorf("the process ended without an answer: %w%s", err, stderr.last())
	}
	return got.Answer, usage, err
}

// Serve is the child's side: it reads the task, has do work on it, and writes the
// answer. A program calls it when it is started with Subcommand alone, and then
// ends. Meanwhile os.Stdout is os.Stderr.
func Serve[Task, Answer any](do func(Task) (Answer, error)) error {
	stdout := os.Stdout
	os.Stdout = os.Stderr
	defer func() { os.Stdout = stdout }()

	var task Task
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&task); err != nil {
		return fmt.Errorf("%s is for octet itself to call, with a task on stdin: %w", Subcommand, err)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // nobody is left to read the answer
	}()

	var r reply[Answer]
	var err error
	if r.Answer, err = do(task); err != nil {
		r.Error = err.Error()
	}
	return json.NewEncoder(stdout).Encode(r)
}

// tail keeps the end of what is written to it.
type tail struct{ b []byte }

const tailLen = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*tailLen {
		t.b = append(t.b[:0], t.b[len(t.b)-tailLen:]...)
	}
	return len(p), nil
}

// last returns the end of the text for an error, behind a colon.
func (t *tail) last() string {
	s := strings.TrimSpace(string(t.b[max(0, len(t.b)-tailLen):]))
	if s == "" {
		return ""
	}
	return ": " + s
}
