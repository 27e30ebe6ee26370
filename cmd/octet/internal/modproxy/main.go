// Command modproxy adds a module of a git repository to a directory that serves
// as a module proxy, in the form in which public proxies would serve it.
//
//	modproxy REPOSITORY SUBDIRECTORY VERSION DIRECTORY
//
// The module is that of HEAD; what is not committed is not part of it.
// SUBDIRECTORY is where its go.mod is, "." for the top of the repository.
// .ci/release uses this command, with GOPROXY=file://DIRECTORY.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: modproxy REPOSITORY SUBDIRECTORY VERSION DIRECTORY")
		os.Exit(2)
	}
	m, size, err := add(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		fmt.Fprintln(os.Stderr, "modproxy:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: a zip of %d KiB\n", m, (size+1023)/1024)
}

// add adds the module and returns its path and version, and the size of its zip.
func add(repository, subdirectory, version, proxy string) (m module.Version, size int64, err error) {
	text, err := os.ReadFile(filepath.Join(repository, subdirectory, "go.mod"))
	if err != nil {
		return m, 0, err
	}
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return m, 0, err
	}
	m = module.Version{Path: file.Module.Mod.Path, Version: version}
	if len(file.Replace) > 0 || len(file.Exclude) > 0 {
		return m, 0, fmt.Errorf("%s has replace or exclude lines: go install would reject it", m.Path)
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return m, 0, err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return m, 0, err
	}
	at, err := commitTime(repository)
	if err != nil {
		return m, 0, err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, at})
	if err != nil {
		return m, 0, err
	}

	base := filepath.Join(dir, version)
	if size, err = writeZip(base+".zip", m, repository, subdirectory); err != nil {
		return m, 0, err
	}
	if err := os.WriteFile(base+".mod", text, 0o666); err != nil {
		return m, 0, err
	}
	if err := os.WriteFile(base+".info", info, 0o666); err != nil {
		return m, 0, err
	}
	list, err := os.OpenFile(filepath.Join(dir, "list"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return m, 0, err
	}
	_, err = fmt.Fprintln(list, version)
	if closed := list.Close(); err == nil {
		err = closed
	}
	return m, size, err
}

// writeZip writes the zip of the module and returns its size. It contains what
// the go command would take from the repository: the committed files, without
// those of nested modules, and the licence of the repository if the module has
// none.
func writeZip(path string, m module.Version, repository, subdirectory string) (int64, error) {
	if subdirectory == "." {
		subdirectory = ""
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	err = zip.CreateFromVCS(f, m, repository, "HEAD", filepath.ToSlash(subdirectory))
	size, _ := f.Seek(0, io.SeekCurrent)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return size, err
}

func commitTime(repository string) (time.Time, error) {
	cmd := exec.Command("git", "log", "-1", "--format=%cI")
	cmd.Dir = repository
	out, err := cmd.Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("git log: %w", err)
	}
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(out)))
	return at.UTC(), err
}
