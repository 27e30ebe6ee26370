package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/child"
)

// A finding is one diagnostic, in the form in which go vet -json prints it.
type finding struct {
	Category string          `json:"category,omitempty"`
	Posn     string          `json:"posn"`
	End      string          `json:"end,omitempty"`
	Message  string          `json:"message"`
	URL      string          `json:"url,omitempty"`
	Fixes    json.RawMessage `json:"suggested_fixes,omitempty"`
	Related  []related       `json:"related,omitempty"`
}

type related struct {
	Posn    string `json:"posn"`
	End     string `json:"end,omitempty"`
	Message string `json:"message"`
}

// findings maps a package to what was found.
type findings map[string][]finding

// failures maps a package to why it could not be analyzed.
type failures map[string]string

// goTool returns the go vet command that runs this program, or the go fix command for fixes, and what
// to call when it has ended.
func goTool(ctx context.Context, o *options) (cmd *exec.Cmd, done func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	args := []string{"vet", "-vettool=" + self, "-json"}
	if o.fix || o.diff {
		args = []string{"fix", "-fixtool=" + self}
	}
	if o.diff {
		args = append(args, "-diff")
	}
	done = func() {}
	if !o.test {
		overlay, err := withoutTests(ctx, o)
		if err != nil {
			return nil, nil, fmt.Errorf("-test=false: %w", err)
		}
		done = func() { os.Remove(overlay) }
		args = append(args, "-overlay="+overlay)
	}
	if o.tags != "" {
		args = append(args, "-tags="+o.tags)
	}
	if o.codes != "" {
		args = append(args, "-poolcheck.codes="+o.codes)
	}
	if o.table != "" {
		files, sum, _, err := readTables(o.table)
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("-table: %w", err)
		}
		args = append(args, "-poolcheck.table="+files, "-poolcheck.tablesum="+sum)
	}
	args = append(args, "-poolcheck.patterns="+patternSum(o.patterns))
	args = append(args, o.patterns...)
	return child.Command(ctx, "go", args...), done, nil
}

// patternSum returns a checksum of what is checked. Go 1.26 keeps what go vet has found, and
// takes a package that was only imported by what an earlier run checked for one in which
// nothing was found. With another flag it looks again.
func patternSum(patterns []string) string {
	dir, _ := os.Getwd()
	sum := sha256.Sum256([]byte(strings.Join(append([]string{dir}, patterns...), "\x00")))
	return hex.EncodeToString(sum[:])
}

// withoutTests writes a file for the go command's flag -overlay, by which the named
// packages have no test files: go vet loads them otherwise, and what they import.
func withoutTests(ctx context.Context, o *options) (string, error) {
	const each = `{{$.Dir}}/{{.}}{{"\n"}}{{end}}`
	files, err := o.list(ctx, "{{range .TestGoFiles}}"+each+"{{range .XTestGoFiles}}"+each)
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for _, name := range files {
		overlay.Replace[filepath.Clean(name)] = "" // deleted
	}
	f, err := os.CreateTemp("", "poolcheck-*.json")
	if err != nil {
		return "", err
	}
	err = json.NewEncoder(f).Encode(overlay)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// list returns the lines that go list prints by a template for the packages that are named.
func (o *options) list(ctx context.Context, template string) ([]string, error) {
	args := []string{"list", "-e", "-f=" + template}
	if o.tags != "" {
		args = append(args, "-tags="+o.tags)
	}
	text, err := exec.CommandContext(ctx, "go", append(args, o.patterns...)...).Output()
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' }), err
}

// check runs go vet and returns what it found. Packages that do not build are
// reported on stderr by the go command.
func check(ctx context.Context, o *options, stderr io.Writer) (findings, failures, bool) {
	cmd, done, err := goTool(ctx, o)
	if err != nil {
		fmt.Fprintln(stderr, "poolcheck:", err)
		return nil, nil, false
	}
	defer done()
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	runErr := child.Run(ctx, cmd)
	if ctx.Err() != nil {
		return nil, nil, false
	}
	found, failed, err := parseVet(&out)
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

// parseVet reads the JSON values that go vet prints, one a package.
func parseVet(r io.Reader) (findings, failures, error) {
	found, failed := make(findings), make(failures)
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
			for _, raw := range byAnalyzer {
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
					f.URL = pageOf(f.Category)
					found[path] = append(found[path], f)
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
