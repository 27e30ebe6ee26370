// Command found runs the programs that show what docs/EVIDENCE.md lists: bugs of public modules with pooled memory. It
// fetches the module at the version that the first line of the program names.
//
//	go run ./poolcheck/lab/found            lists the programs
//	go run ./poolcheck/lab/found sio        runs one
//
// Most run in a temporary module that requires the public one. A program whose name ends in _test is a test: it runs in a
// copy of the public module, in the folder of the package that it tests, and is called TestFound.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const suffix = ".go.txt"

func main() {
	programs, err := read()
	if err == nil && len(os.Args) < 2 {
		for _, p := range programs {
			fmt.Println(p.name, p.module+"@"+p.version)
		}
		return
	}
	for _, p := range programs {
		if err == nil && p.name == os.Args[1] {
			err = p.run()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "found:", err)
		os.Exit(1)
	}
}

// A program shows a bug of a module.
type program struct {
	name, module, version string
	folder                string // of the module, for a test
	text                  []byte
}

// read returns the programs of testdata.
func read() ([]program, error) {
	_, file, _, _ := runtime.Caller(0)
	names, err := filepath.Glob(filepath.Join(filepath.Dir(file), "testdata", "*"+suffix))
	if err != nil {
		return nil, err
	}
	var programs []program
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		first, _, _ := strings.Cut(string(text), "\n")
		f := strings.Fields(strings.TrimPrefix(first, "// "))
		if len(f) < 2 || !strings.HasPrefix(f[1], "v") {
			return nil, fmt.Errorf("%s: the first line is no comment with a module and a version", name)
		}
		p := program{name: strings.TrimSuffix(filepath.Base(name), suffix), module: f[0], version: f[1], text: text}
		if len(f) > 2 {
			p.folder = f[2]
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// run runs the program where its module is required, or in a copy of the module.
func (p program) run() error {
	dir, err := os.MkdirTemp("", "found-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if p.folder == "" {
		if err := os.WriteFile(filepath.Join(dir, "main.go"), p.text, 0o666); err != nil {
			return err
		}
		for _, args := range [][]string{{"mod", "init", "found"}, {"get", p.module + "@" + p.version}, {"mod", "tidy"}} {
			if text, err := goCommand(dir, args...).CombinedOutput(); err != nil {
				return fmt.Errorf("go %s: %w\n%s", args[0], err, text)
			}
		}
		return show(goCommand(dir, "run", "."))
	}
	text, err := goCommand(dir, "mod", "download", "-json", p.module+"@"+p.version).Output()
	if err != nil {
		return fmt.Errorf("go mod download: %w\n%s", err, text)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(text, &info); err != nil {
		return err
	}
	dir = filepath.Join(dir, "module")
	if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, p.folder, "found_test.go"), p.text, 0o666); err != nil {
		return err
	}
	return show(goCommand(dir, "test", "-run=^TestFound$", "./"+p.folder))
}

func goCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	return cmd
}

// show runs cmd, whose output is the user's.
func show(cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
