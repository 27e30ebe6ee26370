package profiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// LargeHeap is a heap that is collected about every 64 MiB, as that of a service is, where a
// benchmark's own is collected every 4 MiB.
const LargeHeap = "GOGC=1600"

// Bench runs the benchmarks of a package that match a regular expression, twice: with the heap that they
// have, and with a large one. dir is the folder to run in. step is called before each run.
func Bench(ctx context.Context, dir, regexp, pkg string, d time.Duration, step func(doing string)) (own, large *Set, err error) {
	tmp, err := os.MkdirTemp("", "octet-advise")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(tmp)

	step("building the test of " + pkg)
	binary := filepath.Join(tmp, "bench.test")
	if out, err := command(ctx, dir, "go", "test", "-vet=off", "-c", "-o", binary, pkg).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("go test -c %s: %s", pkg, excerpt(out, err))
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, nil, fmt.Errorf("%s has no tests", pkg)
	}
	// A test runs in the folder of its package.
	where, err := command(ctx, dir, "go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list %s: %w", pkg, err)
	}
	folder := strings.TrimSpace(string(where))
	if strings.Contains(folder, "\n") {
		return nil, nil, fmt.Errorf("%s are several packages; --bench runs the benchmarks of one", pkg)
	}

	run := func(name string, env ...string) (*Set, error) {
		cmd := command(ctx, folder, binary, "-test.run=^$", "-test.bench="+regexp, "-test.benchtime="+d.String(),
			"-test.outputdir="+tmp, "-test.cpuprofile="+name+".cpu", "-test.memprofile="+name+".allocs")
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("the benchmark failed: %s", excerpt(out, err))
		}
		if !bytes.Contains(out, []byte("\nBenchmark")) {
			return nil, fmt.Errorf("no benchmark of %s matches %s", pkg, regexp)
		}
		s := new(Set)
		for _, kind := range []string{".allocs", ".cpu"} {
			if err := s.ReadFile(filepath.Join(tmp, name+kind)); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	step("running the benchmark")
	if own, err = run("own"); err != nil {
		return nil, nil, err
	}
	step("running it with a large heap")
	if large, err = run("large", LargeHeap); err != nil {
		return nil, nil, err
	}
	return own, large, nil
}

func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	return cmd
}

// excerpt returns why a command failed: the last lines that it printed.
func excerpt(out []byte, err error) string {
	if errors.Is(err, context.Canceled) {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return fmt.Sprintf("%v: %s", err, strings.Join(lines[max(0, len(lines)-5):], "; "))
}
