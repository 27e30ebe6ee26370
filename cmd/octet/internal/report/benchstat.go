package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

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
	var b bytes.Buffer
	if err := writeBenchstat(&b, run); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// writeBenchstat writes the raw samples in Go's benchmark format, a line for
// each round. The contestant is the value of the key "of", so that
//
//	benchstat -col /of FILE
//
// compares the contestants, and benchstat OLD NEW compares two runs.
func writeBenchstat(w io.Writer, run *Run) error {
	var config []benchfmt.Config
	for _, c := range [][2]string{
		{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"pkg", "github.com/octet-go/octet/cmd/octet"},
		{"cpu", run.CPU}, {"goversion", runtime.Version()},
	} {
		config = append(config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
	}
	out := benchfmt.NewWriter(w)
	// These would end or split the name of a benchmark.
	word := strings.NewReplacer(" ", "_", "/", "_", "=", "_").Replace
	for _, g := range run.Groups {
		for _, r := range g.Rows {
			for i := range r.Contestants {
				c := &r.Contestants[i]
				name := fmt.Sprintf("%s%s/%s/of=%s-%d", strings.ToUpper(g.Name[:1]), g.Name[1:], r.Name, word(c.Name), runtime.GOMAXPROCS(0))
				for round := range r.Rounds() {
					result := &benchfmt.Result{Config: config, Name: benchfmt.Name(name), Iters: max(1, c.N)}
					for _, unit := range slices.Sorted(maps.Keys(c.Samples)) {
						v := c.Samples[unit][round]
						if unit == contest.Bytes || unit == contest.Allocs {
							v = math.Floor(v) // as go test does: the fraction is due to the runtime, or to what was allocated once
						}
						result.Values = append(result.Values, benchfmt.Value{Value: v, Unit: unit})
					}
					if err := out.Write(result); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
