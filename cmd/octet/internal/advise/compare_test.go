package advise

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/advise/cost"
	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// results are runs of a benchmark that took so many seconds.
func results(name string, seconds ...float64) (all []profiles.Result) {
	for _, s := range seconds {
		all = append(all, profiles.Result{Name: name, Per: map[string]float64{"sec/op": s, "B/op": 100 * s}})
	}
	return all
}

// What advise wrote of benchmarks is compared, and nothing else.
func TestCompareFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, pkg string, of ...[]profiles.Result) string {
		runs := &profiles.Runs{Own: newSet(), Package: pkg}
		for _, r := range of {
			runs.Results = append(runs.Results, r...)
		}
		a, err := advise(newTree(t), runs, new(cost.Machine))
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name+".json")
		var b bytes.Buffer
		if err := writeJSON(&b, a); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	before := write("before", "p", results("A", 10, 10, 10, 11, 9, 10), results("B", 4, 4, 4, 4, 4, 4), results("C", 1))
	after := write("after", "p", results("A", 5, 5, 5, 5, 5, 6), results("B", 3, 4, 4, 4, 4, 5), results("C", 1))
	c, err := compareFiles([]string{before, after})
	if err != nil {
		t.Fatal(err)
	}
	a := c.Benchmarks[0]
	if a.Saved != 50 || a.Low < 30 || a.Low > 40 || a.High < 54 || a.High > 60 || a.Bytes != [2]float64{1000, 600} || a.Runs != 6 {
		t.Errorf("%+v", a)
	}
	var b bytes.Buffer
	if err := c.write(&b, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"not measured in turn", "A: 50.0 %", "B: 0.0 % (-25.0 to 25.0), which may be nothing", "runs of it: C"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, b.String())
		}
	}
	service := write("service", "p")
	text := filepath.Join(dir, "x.json")
	if err := os.WriteFile(text, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range [][2]string{
		{service, "do not say how much work was done"},
		{text, "was not written by"},
		{write("other", "q", results("A", 1)), "of package"},
		{write("few", "p", results("A", 1)), "no benchmark to compare"},
		{filepath.Join(dir, "gone.json"), "gone.json"},
	} {
		if _, err := compareFiles([]string{before, tt[0]}); err == nil || !strings.Contains(err.Error(), tt[1]) {
			t.Errorf("%s: %v, want %q", tt[0], err, tt[1])
		}
	}
}

// Of pairs the ratios count, so that what disturbs both runs of one does not show.
func TestCompareRevisions(t *testing.T) {
	c := compareRevisions([]profiles.Pair{
		{Name: "A", Before: []float64{1, 2, 30, 4, 5, 6}, After: []float64{.5, 1, 15, 2, 2.5, 3}, Bytes: [2]float64{8, 4}},
		{Name: "B", Before: make([]float64, 6), After: make([]float64, 6)},
	}, "HEAD~1", []string{"C"})
	if len(c.Benchmarks) != 1 || c.Benchmarks[0] != (Change{"A", 50, 50, 50, [2]float64{8, 4}, 6}) || !strings.Contains(c.Left, "C, B") {
		t.Errorf("%+v", c)
	}
}
