package pooltest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// go test starts this command in place of each test binary, by its flag -exec. The
// helper keeps the binary and runs it twice, so that packages that are built already are
// tested while others are still being built.

// helperVariable is set in the environment of a helper: a helperTask as JSON.
const helperVariable = "POOLCHECK_HELPER"

type helperTask struct {
	Work    string
	Timeout time.Duration
}

// A firstRuns is what the helper leaves behind.
type firstRuns struct {
	Binary          *testBinary
	Records, Poison *outcome // Poison is nil if the tests failed with records
	Err             string
}

// Helper runs a helper and returns true if this process is one.
func Helper(args []string) bool {
	text := os.Getenv(helperVariable)
	if text == "" {
		return false
	}
	var task helperTask
	if err := json.Unmarshal([]byte(text), &task); err != nil || len(args) == 0 {
		fmt.Fprintln(os.Stderr, "poolcheck: "+helperVariable+" is set, but this process was not started by poolcheck test")
		os.Exit(2)
	}
	if err := task.do(args[0], args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "poolcheck:", err)
		os.Exit(2)
	}
	return true
}

func (task *helperTask) do(path string, args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	work := task.folder(dir)
	if err := os.MkdirAll(work, 0o777); err != nil {
		return err
	}
	b := &testBinary{Path: filepath.Join(work, filepath.Base(path)), Dir: dir, Args: args, Work: work, Timeout: task.Timeout}
	if err := keep(path, b.Path); err != nil {
		return err
	}
	first := &firstRuns{Binary: b}
	if err := first.fill(context.Background()); err != nil {
		first.Err = err.Error()
	}
	text, err := json.Marshal(first)
	if err != nil {
		return err
	}
	return writeOnce(filepath.Join(work, "first.json"), text)
}

func (first *firstRuns) fill(ctx context.Context) error {
	b := first.Binary
	var err error
	if first.Records, err = b.run(ctx, &setup{records: true}, choice{}, b.Timeout); err != nil {
		return err
	}
	r := first.Records.Report
	c := choice{}
	if !first.Records.Passed {
		if first.Records.Crashed || len(first.Records.Failed) == 1 && first.Records.Failed[0] == "" {
			return nil
		}
		c.skip = first.Records.Failed
	}
	first.Poison, err = b.run(ctx, &setup{own: r.Owned, deny: r.Foreign}, c, b.longer(first.Records))
	return err
}

// longer is the time that a run may take which another did in a known time.
func (b *testBinary) longer(than *outcome) time.Duration {
	return min(max(b.Timeout, time.Minute), than.Elapsed*5+30*time.Second)
}

// folder returns where the files of a package's runs are.
func (task *helperTask) folder(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(task.Work, hex.EncodeToString(sum[:8]))
}

// keep makes a file available under another name.
func keep(from, to string) error {
	os.Remove(to)
	if os.Link(from, to) == nil {
		return nil
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}
