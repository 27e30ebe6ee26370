package report

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Check reports whether Save could write the file, as far as that can be known beforehand.
func Check(path string) error {
	if filepath.Ext(path) != ".txt" {
		return fmt.Errorf("-o: %s: the name of a report must end in .txt", path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("-o: %s is a directory", path)
	}
	if _, err := os.Stat(filepath.Dir(path) + string(filepath.Separator)); err != nil { // also if it is a file
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// Save writes all samples of the run to a file, for benchstat.
func Save(path string, run *Run) error {
	if err := os.WriteFile(path, benchstat(run), 0o666); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// benchstat returns the samples in Go's benchmark format, a line for each round. The
// contestant is the value of the key "of", so that
//
//	benchstat -col /of FILE
//
// compares the contestants, and benchstat OLD NEW compares two runs.
func benchstat(run *Run) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: github.com/octet-go/octet/cmd/octet\ncpu: %s\ngoversion: %s\n",
		runtime.GOOS, runtime.GOARCH, run.CPU, runtime.Version())
	// These would end or split the name of a benchmark.
	word := strings.NewReplacer(" ", "_", "/", "_", "=", "_").Replace
	for _, g := range run.Groups {
		for _, r := range g.Rows {
			for _, c := range r.Contestants {
				for round := range r.Rounds() {
					fmt.Fprintf(&b, "Benchmark%s%s/%s/of=%s-%d %d", strings.ToUpper(g.Name[:1]), g.Name[1:], r.Name, word(c.Name), runtime.GOMAXPROCS(0), max(1, c.N))
					for _, unit := range slices.Sorted(maps.Keys(c.Samples)) {
						v := c.Samples[unit][round]
						if unit == contest.Bytes || unit == contest.Allocs {
							v = math.Floor(v) // as go test does: the fraction is due to the runtime, or to what was allocated once
						}
						fmt.Fprintf(&b, " %v %s", v, unit)
					}
					b.WriteByte('\n')
				}
			}
		}
	}
	return b.Bytes()
}
