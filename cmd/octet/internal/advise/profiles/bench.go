package profiles

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

	step("building the test")
	folder, err := run(ctx, dir, nil, "go", "list", "-f", "{{.Dir}}", pkg) // a test runs in the folder of its package
	if err != nil {
		return nil, nil, fmt.Errorf("go list %s: %w", pkg, err)
	}
	if n := strings.Count(folder, "\n"); n > 1 {
		return nil, nil, fmt.Errorf("%s names %d packages; --bench runs the benchmarks of one", pkg, n)
	}
	binary := filepath.Join(tmp, "bench.test")
	if _, err := run(ctx, dir, nil, "go", "test", "-vet=off", "-c", "-o", binary, pkg); err != nil {
		return nil, nil, fmt.Errorf("go test -c %s: %w", pkg, err)
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, nil, fmt.Errorf("%s has no tests", pkg)
	}
	profile := func(name string, env ...string) (*Set, error) {
		out, err := run(ctx, strings.TrimSpace(folder), env, binary, "-test.run=^$", "-test.bench="+regexp, "-test.benchtime="+d.String(),
			"-test.outputdir="+tmp, "-test.cpuprofile="+name+".cpu", "-test.memprofile="+name+".allocs")
		if err != nil {
			return nil, fmt.Errorf("the benchmark failed: %w", err)
		}
		if !strings.Contains(out, "\nBenchmark") {
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
	if own, err = profile("own"); err != nil {
		return nil, nil, err
	}
	step("running it with a large heap")
	if large, err = profile("large", LargeHeap); err != nil {
		return nil, nil, err
	}
	return own, large, nil
}

// run runs a command and returns what it printed on stdout.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("%w%s", err, excerpt(stdout.String()+stderr.String()))
	}
	return stdout.String(), err
}

// excerpt returns why a command failed: where it began to panic, or the last lines that it printed.
func excerpt(printed string) string {
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") })
	if at < 0 {
		at = max(0, len(lines)-5)
	}
	if printed == "" {
		return ""
	}
	return ": " + strings.Join(lines[at:min(at+5, len(lines))], "; ")
}
