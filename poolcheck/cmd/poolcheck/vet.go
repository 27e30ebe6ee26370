package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A finding is one diagnostic, in the form in which go vet -json prints it.
type finding struct {
	Category string            `json:"category,omitempty"`
	Posn     string            `json:"posn"`
	End      string            `json:"end,omitempty"`
	Message  string            `json:"message"`
	URL      string            `json:"url,omitempty"`
	Fixes    []json.RawMessage `json:"suggested_fixes,omitempty"`
	Related  []related         `json:"related,omitempty"`
}

type related struct {
	Posn    string `json:"posn"`
	End     string `json:"end,omitempty"`
	Message string `json:"message"`
}

// findings maps a package and an analyzer to what was found.
type findings map[string]map[string][]finding

func (f findings) count() int {
	n := 0
	for _, byAnalyzer := range f {
		for _, list := range byAnalyzer {
			n += len(list)
		}
	}
	return n
}

// failures maps a package to why it could not be analyzed.
type failures map[string]string

// vet returns the go vet command that runs this program.
func vet(o *options, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args = append([]string{"vet", "-vettool=" + self}, args...)
	if o.tags != "" {
		args = append(args, "-tags="+o.tags)
	}
	if o.table != "" {
		files, sum, err := tables(o.table)
		if err != nil {
			return nil, fmt.Errorf("-table: %w", err)
		}
		args = append(args, "-poolcheck.table="+files, "-poolcheck.tablesum="+sum)
	}
	args = append(args, o.patterns...)
	return exec.Command("go", args...), nil
}

// tables returns the absolute names of the files in list and a checksum. It
// tries the files, so that a fault is told once, not for each package.
func tables(list string) (names, sum string, err error) {
	var files []string
	hash := sha256.New()
	for _, name := range strings.Split(list, ",") {
		abs, err := filepath.Abs(name)
		if err != nil {
			return "", "", err
		}
		text, err := os.ReadFile(abs)
		if err != nil {
			return "", "", err
		}
		if err := api.New().Extend(bytes.NewReader(text)); err != nil {
			return "", "", fmt.Errorf("%s: %w", name, err)
		}
		hash.Write(text)
		files = append(files, abs)
	}
	return strings.Join(files, ","), hex.EncodeToString(hash.Sum(nil)), nil
}

// check runs go vet and returns what it found. Packages that do not build are
// told on stderr by the go command.
func check(o *options, stderr io.Writer) (findings, failures, bool) {
	cmd, err := vet(o, "-json")
	if err != nil {
		fmt.Fprintln(stderr, "poolcheck:", err)
		return nil, nil, false
	}
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	runErr := cmd.Run()
	found, failed, err := parseVet(&out, o.test)
	if err != nil {
		fmt.Fprintf(stderr, "poolcheck: output of go vet: %v\n", err)
		stderr.Write(problems.Bytes())
		return nil, nil, false
	}
	for pkg, why := range failed {
		fmt.Fprintf(stderr, "poolcheck: %s: %s\n", pkg, why)
	}
	if runErr != nil {
		stderr.Write(problems.Bytes())
		failed.read(problems.String())
		if len(failed) == 0 {
			fmt.Fprintln(stderr, "poolcheck: go vet:", runErr)
			return nil, nil, false
		}
	}
	return found, failed, true
}

// parseVet reads the JSON values that go vet prints, one a package. A package
// and its variant with test files tell the same things: they are told once.
func parseVet(r io.Reader, tests bool) (findings, failures, error) {
	found, failed := make(findings), make(failures)
	seen := make(map[string]bool)
	dec := json.NewDecoder(r)
	for {
		var byPackage map[string]map[string]json.RawMessage
		if err := dec.Decode(&byPackage); err == io.EOF {
			return found, failed, nil
		} else if err != nil {
			return nil, nil, err
		}
		for pkg, byAnalyzer := range byPackage {
			path, _, _ := strings.Cut(pkg, " ")
			for analyzer, raw := range byAnalyzer {
				var list []finding
				if err := json.Unmarshal(raw, &list); err != nil {
					var failure struct {
						Err string `json:"error"`
					}
					if json.Unmarshal(raw, &failure) != nil || failure.Err == "" {
						return nil, nil, err
					}
					failed[path] = failure.Err
					continue
				}
				for _, f := range list {
					key := f.Posn + f.Message
					file, _, _ := strings.Cut(f.Posn, ".go:")
					if seen[key] || !tests && strings.HasSuffix(file, "_test") {
						continue
					}
					seen[key] = true
					f.URL = pageOf(f.Category)
					if found[path] == nil {
						found[path] = make(map[string][]finding)
					}
					found[path][analyzer] = append(found[path][analyzer], f)
				}
			}
		}
	}
}

// read collects the packages of which the go command says that they do not
// build: "# path" in front of the errors.
func (f failures) read(problems string) {
	pkg := ""
	for _, line := range strings.Split(problems, "\n") {
		if path, ok := strings.CutPrefix(line, "# "); ok {
			pkg, _, _ = strings.Cut(path, " ")
			pkg = strings.Trim(pkg, "[]")
			continue
		}
		if pkg != "" && strings.TrimSpace(line) != "" {
			if f[pkg] == "" {
				f[pkg] = strings.TrimPrefix(line, "vet: ")
			}
		}
	}
}

// applyFixes runs go vet -fix, or -diff.
func applyFixes(o *options, stdout, stderr io.Writer) int {
	mode := []string{"-fix"}
	if o.diff {
		mode = append(mode, "-diff")
	}
	cmd, err := vet(o, mode...)
	if err != nil {
		fmt.Fprintln(stderr, "poolcheck:", err)
		return exitFailed
	}
	var problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = stdout, io.MultiWriter(stderr, &problems)
	if err := cmd.Run(); err != nil {
		// A diff that is not empty is a finding, not a failure.
		if o.diff && strings.TrimSpace(problems.String()) == "" {
			return exitFindings
		}
		return exitFailed
	}
	return exitClean
}
