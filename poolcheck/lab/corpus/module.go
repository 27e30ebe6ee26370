package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A module of the corpus: a line of modules.txt.
type module struct {
	path, version string
	packages      []string // patterns, ./... if the line has none
}

func (m module) String() string { return m.path + "@" + m.version }

// readModules reads lines of the form
//
//	path version [pattern...]
func readModules(name string) ([]module, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []module
	for n, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) < 2 {
			return nil, fmt.Errorf("%s:%d: want a module path and a version", name, n+1)
		}
		m := module{path: f[0], version: f[1], packages: f[2:]}
		if len(m.packages) == 0 {
			m.packages = []string{"./..."}
		}
		list = append(list, m)
	}
	return list, nil
}

// A report of poolcheck.
type report struct {
	pos     string // file:line:column, the file relative to the module
	code    string
	message string
}

// A result is what became of one module.
type result struct {
	packages int
	unbuilt  []string // packages that do not build, or that poolcheck failed on
	reports  []report
	time     time.Duration // of poolcheck, after everything was downloaded and compiled
}

// check fetches the module into a copy under scratch, and runs poolcheck there.
func check(tool, scratch string, m module) (dir string, res result, err error) {
	dir, err = fetch(scratch, m)
	if err != nil {
		return dir, res, err
	}
	res, err = checkIn(tool, dir, m)
	return dir, res, err
}

func checkIn(tool, dir string, m module) (res result, err error) {
	// Listing with export data downloads and compiles all dependencies, so that
	// the time that is taken below is poolcheck's.
	list, err := goCommand(dir, append([]string{"list", "-e", "-deps", "-export", "-f",
		"{{if not .DepOnly}}{{.ImportPath}}{{if .Incomplete}} does not build{{end}}{{end}}"}, m.packages...)...)
	if err != nil {
		return res, err
	}
	var packages []string
	for line := range strings.Lines(string(list)) {
		name, broken := strings.CutSuffix(strings.TrimSpace(line), " does not build")
		switch {
		case broken:
			res.unbuilt = append(res.unbuilt, name)
		case name != "":
			packages = append(packages, name)
		}
	}
	res.packages = len(packages) + len(res.unbuilt)
	if len(packages) == 0 {
		return res, nil
	}

	cmd := exec.Command(tool, append([]string{"-json", "-codes=all"}, packages...)...)
	cmd.Dir = dir
	cmd.Env = goEnv()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	res.time = time.Since(start)
	reports, failed, err := parseReports(dir, stdout.Bytes(), err)
	if err != nil {
		return res, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	res.reports = reports
	for _, f := range failed {
		name, _, _ := strings.Cut(f, ": ")
		if !slices.Contains(res.unbuilt, name) {
			res.unbuilt = append(res.unbuilt, f)
		}
	}
	return res, nil
}

// fetch copies the module out of the module cache, where nothing may be
// written, and leaves its tests out: they misuse pools on purpose, and often
// need more modules than all the rest.
func fetch(scratch string, m module) (string, error) {
	dir := filepath.Join(scratch, strings.NewReplacer("/", "_", "@", "_").Replace(m.String()))
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return dir, nil
	}
	text, err := goCommand(scratch, "mod", "download", "-json", m.String())
	var info struct{ Dir, Error string }
	if json.Unmarshal(text, &info) == nil && info.Error != "" {
		return "", errors.New(info.Error)
	}
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
		return "", err
	}
	if err := removeTests(dir); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if _, err := goCommand(dir, "mod", "init", m.path); err != nil {
			return "", err
		}
		if _, err := goCommand(dir, "mod", "tidy"); err != nil {
			return "", err
		}
	}
	return dir, dropReplaces(dir)
}

// removeTests removes the test files below dir.
func removeTests(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		return os.Remove(name)
	})
}

// dropReplaces removes the replacements by directories, which lie outside of
// the published module.
func dropReplaces(dir string) error {
	text, err := goCommand(dir, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return err
	}
	for _, r := range mod.Replace {
		if r.New.Version != "" {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if _, err := goCommand(dir, "mod", "edit", "-dropreplace="+old); err != nil {
			return err
		}
	}
	return nil
}

// goCommand runs the go command in dir, outside of any workspace, and returns
// what it printed.
func goCommand(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = goEnv()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return append(stdout.Bytes(), stderr.Bytes()...), fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}

// goEnv lets the go command complete a go.mod, which published ones sometimes
// need.
func goEnv() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
}

// parseReports reads what poolcheck -json printed: for each package and
// analyzer a list of diagnostics, or an error in its place if the package does
// not build. Diagnostics without a code are advice, and left out. That poolcheck
// has panicked is an error. runErr, of the command, is one only if nothing was
// printed: reports make it exit with a status, too.
func parseReports(dir string, text []byte, runErr error) (reports []report, unbuilt []string, err error) {
	if len(bytes.TrimSpace(text)) == 0 && runErr != nil {
		return nil, nil, fmt.Errorf("poolcheck: %w", runErr)
	}
	var byPackage map[string]map[string]json.RawMessage
	if err := json.Unmarshal(text, &byPackage); err != nil {
		return nil, nil, fmt.Errorf("poolcheck -json: %w", err)
	}
	for pkg, byAnalyzer := range byPackage {
		for name, raw := range byAnalyzer {
			var diags []struct{ Posn, Message string }
			if err := json.Unmarshal(raw, &diags); err != nil {
				var failure struct{ Error string }
				if err := json.Unmarshal(raw, &failure); err != nil || failure.Error == "" {
					return nil, nil, fmt.Errorf("%s: %s: %s", pkg, name, raw)
				}
				if strings.HasPrefix(failure.Error, "panic:") {
					return nil, nil, fmt.Errorf("poolcheck on %s: %s", pkg, failure.Error)
				}
				unbuilt = append(unbuilt, pkg+": "+failure.Error)
				continue
			}
			for _, d := range diags {
				code, _, _ := strings.Cut(d.Message, ":")
				if !strings.HasPrefix(code, "OCT") {
					continue // advice on what costs too much
				}
				pos, err := filepath.Rel(dir, d.Posn)
				if err != nil {
					return nil, nil, err
				}
				reports = append(reports, report{filepath.ToSlash(pos), code, d.Message})
			}
		}
	}
	slices.SortFunc(reports, func(a, b report) int {
		return strings.Compare(a.pos+a.code, b.pos+b.code)
	})
	slices.Sort(unbuilt)
	return slices.Compact(reports), unbuilt, nil
}
