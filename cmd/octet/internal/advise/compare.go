package advise

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Measured is what benchmarks took when they were profiled, and on what.
type Measured struct {
	Package    string  `json:"package"`
	Machine    string  `json:"machine"`
	Benchmarks []Timed `json:"benchmarks"`
}

// Timed is what a benchmark took in each run, with its own heap.
type Timed struct {
	Name    string    `json:"name"`
	Seconds []float64 `json:"seconds_per_op"`
	Bytes   float64   `json:"bytes_per_op"`
}

// measured returns what the benchmarks took, or nil if none ran.
func measured(runs *profiles.Runs) *Measured {
	if runs.Results == nil {
		return nil
	}
	m := &Measured{Package: runs.Package, Machine: fmt.Sprintf("%s/%s, %d processors, %s", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version())}
	for _, r := range runs.Results {
		i := slices.IndexFunc(m.Benchmarks, func(t Timed) bool { return t.Name == r.Name })
		if i < 0 {
			i = len(m.Benchmarks)
			m.Benchmarks = append(m.Benchmarks, Timed{Name: r.Name})
		}
		b := &m.Benchmarks[i]
		b.Seconds, b.Bytes = append(b.Seconds, r.Per["sec/op"]), r.Per["B/op"]
	}
	return m
}

// A Comparison is what a change saved.
type Comparison struct {
	What       string   `json:"what"` // is compared
	Benchmarks []Change `json:"benchmarks"`
	Left       string   `json:"left_out,omitempty"` // which benchmarks, and why
}

// A Change is what a change saved in a benchmark, in percent, with an interval of 95 %.
type Change struct {
	Name  string     `json:"name"`
	Saved float64    `json:"saved_percent"`
	Low   float64    `json:"low"`
	High  float64    `json:"high"`
	Bytes [2]float64 `json:"bytes_per_op"`
	Runs  int        `json:"runs"`
}

// newChange returns a change whose new figures are so many times the old ones.
func newChange(name string, ratio benchmath.Summary, bytes [2]float64, runs int) Change {
	percent := func(r float64) float64 { return 100 * (1 - r) }
	return Change{name, percent(ratio.Center), percent(ratio.Hi), percent(ratio.Lo), bytes, runs}
}

// compareFiles compares two files that octet advise --bench --json wrote. Their runs were not made in turn: the interval is
// from the best of one to the worst of the other.
func compareFiles(names []string) (*Comparison, error) {
	var m [2]*Measured
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var a Advice
		if err := json.Unmarshal(data, &a); err != nil || a.Verdict == "" {
			return nil, fmt.Errorf("%s was not written by octet advise --bench --json", name)
		}
		if m[i] = a.Measured; a.Measured == nil {
			return nil, fmt.Errorf("%s has no benchmark: profiles of files or of a service do not say how much work was done; use octet advise --bench --json", name)
		}
	}
	before, after := m[0], m[1]
	switch {
	case before.Package != after.Package:
		return nil, fmt.Errorf("%s is of package %s and %s of %s", names[0], before.Package, names[1], after.Package)
	case before.Machine != after.Machine:
		return nil, fmt.Errorf("%s is of %s and %s of %s", names[0], before.Machine, names[1], after.Machine)
	}
	c := &Comparison{What: "time an operation, from " + names[0] + " to " + names[1] + ", which were not measured in turn"}
	var left []string
	for _, b := range before.Benchmarks {
		i := slices.IndexFunc(after.Benchmarks, func(t Timed) bool { return t.Name == b.Name })
		if i < 0 || min(len(b.Seconds), len(after.Benchmarks[i].Seconds)) < profiles.Repeats {
			left = append(left, b.Name)
			continue
		}
		a := after.Benchmarks[i]
		old, now := contest.Median(b.Seconds), contest.Median(a.Seconds)
		ratio := benchmath.Summary{Center: now.Center / old.Center, Lo: now.Lo / old.Hi, Hi: now.Hi / old.Lo}
		c.Benchmarks = append(c.Benchmarks, newChange(b.Name, ratio, [2]float64{b.Bytes, a.Bytes}, len(a.Seconds)))
	}
	if left != nil {
		c.Left = fmt.Sprintf("not compared, for one of the files has no %d runs of it: %s; profile fewer benchmarks, or for more --seconds",
			profiles.Repeats, strings.Join(left, ", "))
	}
	if c.Benchmarks == nil {
		return nil, fmt.Errorf("%s and %s have no benchmark to compare; %s", names[0], names[1], c.Left)
	}
	return c, nil
}

// compareRevisions compares runs that were made in turn: the interval is that of their ratios.
func compareRevisions(pairs []profiles.Pair, revision string, left []string) *Comparison {
	c := &Comparison{What: "processor time an operation, from " + revision + " to the folder as it is, in turn"}
	for _, p := range pairs {
		var ratios []float64
		for i, before := range p.Before {
			if before > 0 {
				ratios = append(ratios, p.After[i]/before)
			}
		}
		if len(ratios) < profiles.Repeats { // it took no time
			left = append(left, p.Name)
			continue
		}
		c.Benchmarks = append(c.Benchmarks, newChange(p.Name, contest.Median(ratios), p.Bytes, len(ratios)))
	}
	c.Left = notRun(left)
	return c
}

func (c *Comparison) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, c)
	}
	var b strings.Builder
	fmt.Fprintln(&b, "Saved of the "+printable(c.What)+":")
	for _, d := range c.Benchmarks {
		saved := fmt.Sprintf("%.1f %% (%.1f to %.1f)", d.Saved, d.Low, d.High)
		if d.Low <= 0 && d.High >= 0 {
			saved += ", which may be nothing"
		}
		fmt.Fprintf(&b, "%s: %s; %.0f → %.0f B/op, %d runs\n", printable(d.Name), saved, d.Bytes[0], d.Bytes[1], d.Runs)
	}
	if c.Left != "" {
		fmt.Fprintln(&b, printable(c.Left))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
