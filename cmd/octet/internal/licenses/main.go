// Command licenses writes THIRD_PARTY_LICENSES: the licences of all modules that
// are linked into octet, on any platform that it is built for. Run it in
// cmd/octet after a requirement changed:
//
//	go run ./internal/licenses
//
// A test fails while the file is out of date.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const file = "THIRD_PARTY_LICENSES"

const preamble = `Licences of the modules that are linked into octet, beside the Go standard
library and runtime, whose licence is that of golang.org/x/sys.

Written by "go run ./internal/licenses" in cmd/octet; do not edit.
`

// platforms differ in what they link.
var platforms = []string{"linux", "darwin", "windows"}

func main() {
	text, err := licenses(".")
	if err == nil {
		err = os.WriteFile(file, text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// A module is a module that is linked, and the licence files that apply to the
// packages of it that are.
type module struct {
	Path, Version, Dir string
	files              map[string]bool // names relative to Dir
}

// licenses returns the contents of the file for the program in dir.
func licenses(dir string) ([]byte, error) {
	modules := make(map[string]*module)
	for _, goos := range platforms {
		if err := collect(modules, dir, goos); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	b.WriteString(preamble)
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		if len(m.files) == 0 {
			return nil, fmt.Errorf("%s %s has no licence file", m.Path, m.Version)
		}
		for _, name := range slices.Sorted(maps.Keys(m.files)) {
			text, err := os.ReadFile(filepath.Join(m.Dir, name))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n\n", strings.Repeat("=", 80), m.Path, m.Version, filepath.ToSlash(name))
			text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
			b.Write(append(bytes.TrimSpace(text), '\n'))
		}
	}
	return b.Bytes(), nil
}

// collect adds the modules that the program links on the platform.
func collect(modules map[string]*module, dir, goos string) error {
	list := exec.Command("go", "list", "-deps", "-json=Dir,Module", ".")
	list.Dir = dir
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			Dir    string
			Module *struct {
				module
				Main    bool
				Replace *module
			}
		}
		if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if pkg.Module == nil || pkg.Module.Main || pkg.Module.Replace != nil {
			continue // the standard library, and octet's own modules
		}
		m := modules[pkg.Module.Path]
		if m == nil {
			m = &pkg.Module.module
			m.files = make(map[string]bool)
			modules[m.Path] = m
		}
		if err := m.look(pkg.Dir); err != nil {
			return err
		}
	}
}

var isLicense = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// look adds the licence files in the package's directory and in those above it.
func (m *module) look(dir string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.IsDir() && isLicense.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
				name, err := filepath.Rel(m.Dir, filepath.Join(dir, e.Name()))
				if err != nil {
					return err
				}
				m.files[name] = true
			}
		}
		if dir == m.Dir || len(dir) <= len(m.Dir) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}
