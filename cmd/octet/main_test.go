package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/groups"
)

// The tests run the program itself: this binary, which becomes octet if it is
// told so.
const becomeOctet = "OCTET_TEST_BECOME"

func TestMain(m *testing.M) {
	if os.Getenv(becomeOctet) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// result is what is seen of a run from outside.
type result struct {
	code           int
	stdout, stderr string
}

// octet runs the program in dir, with its output going to stdout, or to the
// result if that is nil.
func octet(t *testing.T, dir string, stdout *os.File, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), becomeOctet+"=1")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if stdout != nil {
		cmd.Stdout = stdout
	}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	} else if ok && !exit.Exited() {
		t.Fatalf("%v: %v", args, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// brief are arguments that measure one row as shortly as it goes.
func brief(more ...string) []string {
	g := groups.All()[0]
	row := "^" + regexp.QuoteMeta(g.Name+"/"+g.Rows[0].Name) + "$"
	return append([]string{"bench", "--run", row, "--time", "50ms"}, more...)
}

// names lists dir.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestBench(t *testing.T) {
	dir := t.TempDir()
	r := octet(t, dir, nil, brief("-o", "a.json", "-o", "a.csv", "--output", "a.md", "-o", "a.txt", "-o", filepath.Join(dir, "a.html"))...)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
	if !strings.Contains(r.stdout, groups.All()[0].Rows[0].Contestants[0].Name) {
		t.Errorf("no contestant in\n%s", r.stdout)
	}
	if strings.Contains(r.stdout, "\x1b") {
		t.Error("colours in a pipe")
	}
	if got := strings.Join(names(t, dir), " "); got != "a.csv a.html a.json a.md a.txt" {
		t.Errorf("files: %s", got)
	}
	for _, name := range names(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(data) < 200 {
			t.Errorf("%s has %d bytes, %v", name, len(data), err)
		}
		if bytes.Contains(data, []byte(dir)) {
			t.Errorf("%s names the directory it was written to", name)
		}
	}
}

func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	if r := octet(t, dir, nil, brief("-o", "old.json")...); r.code != 0 {
		t.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
	// The same run in a past where everything took a tenth of the time.
	faster(t, filepath.Join(dir, "old.json"), filepath.Join(dir, "fast.json"), 0.1)
	faster(t, filepath.Join(dir, "old.json"), filepath.Join(dir, "slow.json"), 10)

	for _, tt := range []struct {
		baseline, limit string
		code            int
	}{
		{"fast.json", "ns/op>+10%", 3},
		{"fast.json", "allocs/op>+10%", 0},
		{"fast.json", "ns/op>+100000%", 0},
		{"slow.json", "ns/op>+10%", 0},
	} {
		r := octet(t, dir, nil, brief("--baseline", tt.baseline, "--fail-if", tt.limit)...)
		if r.code != tt.code {
			t.Errorf("%s, %s: exit %d, want %d; stderr %q", tt.baseline, tt.limit, r.code, tt.code, r.stderr)
		}
		if !strings.Contains(r.stdout, "against the baseline") {
			t.Errorf("no comparison in\n%s", r.stdout)
		}
		if told := strings.Contains(r.stderr, "ns/op"); told != (tt.code == 3) {
			t.Errorf("%s, %s: exit %d, stderr %q", tt.baseline, tt.limit, r.code, r.stderr)
		}
	}
	// Without a limit, a change is told and no failure.
	if r := octet(t, dir, nil, brief("--baseline", "fast.json")...); r.code != 0 || r.stderr != "" {
		t.Errorf("exit %d, stderr %q", r.code, r.stderr)
	}
}

// faster writes the saved run at from to the file to, with all times taken times
// factor.
func faster(t *testing.T, from, to string, factor float64) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Schema      string         `json:"schema"`
		Version     int            `json:"version"`
		Environment map[string]any `json:"environment"`
		Groups      []struct {
			Name string `json:"name"`
			Rows []struct {
				Name        string `json:"name"`
				Contestants []struct {
					Name    string               `json:"name"`
					Ours    bool                 `json:"ours"`
					N       int                  `json:"n"`
					Samples map[string][]float64 `json:"samples"`
				} `json:"contestants"`
			} `json:"rows"`
		} `json:"groups"`
	}
	if err := json.Unmarshal(data, &run); err != nil {
		t.Fatal(err)
	}
	for _, g := range run.Groups {
		for _, r := range g.Rows {
			for _, c := range r.Contestants {
				for i := range c.Samples["ns/op"] {
					c.Samples["ns/op"][i] *= factor
				}
			}
		}
	}
	if data, err = json.Marshal(run); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Every error is one line on stderr that says what is wrong, exit 2, nothing on
// stdout and no new file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("broken.json", `{"schema": "octet bench",`)
	write("foreign.json", `{"name": "package", "version": "1.0.0"}`)
	write("newer.json", `{"schema": "octet bench", "version": 99}`)
	write("empty.json", "")
	before := names(t, dir)

	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"bench", "--frobnicate"}, "unknown flag: --frobnicate"},
		{[]string{"bench", "-x"}, "unknown shorthand flag"},
		{[]string{"bench", "extra"}, "extra"},
		{[]string{"bnech"}, `unknown command "bnech"`},
		{[]string{"bench", "--run", "("}, "--run"},
		{[]string{"bench", "--run", "^no such row$"}, "matches no row"},
		{[]string{"bench", "--rounds", "0"}, "--rounds"},
		{[]string{"bench", "--rounds", "many"}, "--rounds"},
		{[]string{"bench", "--time", "-1s"}, "--time"},
		{[]string{"bench", "--time", "soon"}, "--time"},
		{[]string{"bench", "--max-bytes", "lots"}, "--max-bytes"},
		{[]string{"bench", "--max-bytes", "0"}, "--max-bytes"},
		{[]string{"bench", "--run", "^real/", "--dir", "none"}, "none"},
		{[]string{"bench", "--run", "^real/", "--dir", "broken.json"}, "broken.json"},
		{brief("-o", "out.xml"), "out.xml"},
		{brief("-o", "out"), "ends in"},
		{brief("-o", "none/out.json"), "none"},
		{brief("-o", "broken.json/out.json"), "broken.json"},
		{brief("--baseline", "none.json"), "none.json"},
		{brief("--baseline", "."), "--baseline"},
		{brief("--baseline", "broken.json"), "broken.json: broken JSON"},
		{brief("--baseline", "empty.json"), "empty.json: broken JSON"},
		{brief("--baseline", "foreign.json"), "foreign.json: not a run"},
		{brief("--baseline", "newer.json"), "version 99"},
		{brief("--fail-if", "ns/op>+10%"), "--baseline"},
		{brief("--fail-if", "ns/op is bad"), "--fail-if"},
	} {
		r := octet(t, dir, nil, tt.args...)
		if r.code != 2 {
			t.Errorf("%v: exit %d", tt.args, r.code)
		}
		if strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "octet: ") || !strings.Contains(r.stderr, tt.says) {
			t.Errorf("%v: stderr %q; should speak of %q in one line", tt.args, r.stderr, tt.says)
		}
		if r.stdout != "" {
			t.Errorf("%v: stdout %q", tt.args, r.stdout)
		}
	}
	if after := names(t, dir); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("files before %v, after %v", before, after)
	}
}

// Too few rounds for any change to be significant are an error, not a pass.
func TestTooFewRounds(t *testing.T) {
	dir := t.TempDir()
	if r := octet(t, dir, nil, brief("-o", "old.json", "--rounds", "3")...); r.code != 0 {
		t.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
	r := octet(t, dir, nil, brief("--rounds", "3", "--baseline", "old.json", "--fail-if", "ns/op>+10%")...)
	if r.code != 2 || !strings.Contains(r.stderr, "too few") {
		t.Errorf("exit %d, stderr %q", r.code, r.stderr)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help", "bench"}, {"bench", "--help"}} {
		r := octet(t, t.TempDir(), nil, args...)
		if r.code != 0 || r.stderr != "" || !strings.Contains(r.stdout, "bench") {
			t.Errorf("%v: exit %d, stderr %q, stdout %q", args, r.code, r.stderr, r.stdout)
		}
		for line := range strings.Lines(r.stdout) {
			if len(line) > 90 {
				t.Errorf("%v: a line of %d columns: %q", args, len(line), line)
			}
		}
	}
}

// A file that cannot be replaced stays as it is, and nothing lies beside it.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "out.json", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	r := octet(t, dir, nil, brief("-o", "out.json")...)
	if r.code != 2 || !strings.Contains(r.stderr, "is a directory") {
		t.Errorf("exit %d, stderr %q", r.code, r.stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "out.json", "full")); errors.Is(err, fs.ErrNotExist) || len(names(t, dir)) != 1 {
		t.Errorf("now there is %v, %v", names(t, dir), err)
	}
}
