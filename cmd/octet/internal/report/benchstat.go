package report

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// writeBenchstat writes the raw samples in Go's benchmark format, a line for
// each round. The contestant is the value of the key "of", so that
//
//	benchstat -col /of FILE
//
// compares the contestants, and benchstat OLD NEW compares two runs.
func writeBenchstat(w io.Writer, d *Doc) error {
	env := d.Run.Env
	config := []benchfmt.Config{
		fileConfig("goos", env.GOOS),
		fileConfig("goarch", env.GOARCH),
		fileConfig("pkg", "github.com/octet-go/octet/cmd/octet"),
		fileConfig("cpu", env.CPU),
		fileConfig("goversion", env.Go),
	}
	out := benchfmt.NewWriter(w)
	for _, g := range d.Run.Groups {
		for _, r := range g.Rows {
			for i := range r.Contestants {
				c := &r.Contestants[i]
				name := fmt.Sprintf("%s/%s/of=%s-%d", benchName(g.Name), benchWord(r.Name, "/="), benchWord(c.Name, ""), env.GOMAXPROCS)
				for round := range r.Rounds() {
					err := out.Write(&benchfmt.Result{
						Config: config,
						Name:   benchfmt.Name(name),
						Iters:  c.N,
						Values: benchValues(c, round),
					})
					if err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func fileConfig(key, value string) benchfmt.Config {
	return benchfmt.Config{Key: key, Value: []byte(value), File: true}
}

// benchName returns the name of a benchmark for a group: "Pool" for "pool".
func benchName(group string) string {
	s := benchWord(group, "")
	return strings.ToUpper(s[:1]) + s[1:]
}

// benchWord replaces characters that would end or split the name of a
// benchmark, except for those in keep.
func benchWord(s, keep string) string {
	if s == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(keep, r):
			return r
		case r <= ' ' || r == '/' || r == '=' || r == 0x7f:
			return '_'
		}
		return r
	}, s)
}

// benchValues returns the figures of a round.
func benchValues(c *contest.Contestant, round int) []benchfmt.Value {
	var values []benchfmt.Value
	for _, unit := range c.Units() {
		if round < len(c.Samples[unit]) {
			values = append(values, benchfmt.Value{Value: contest.Whole(c.Samples[unit][round], unit), Unit: unit})
		}
	}
	return values
}
