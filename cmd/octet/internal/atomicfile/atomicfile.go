// Package atomicfile writes files that are either complete or not there.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Check reports what would keep Write from even beginning.
func Check(path string) error {
	path = target(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", path)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	}
	return nil
}

// Write has write produce the contents of the file at path. They go to a new
// file beside it, which takes its name once it is complete and on the disk; if
// anything fails before, the new file is removed and the old one left alone.
// What path names may also be a device or a pipe: that is written directly. A
// symbolic link keeps pointing where it does.
func Write(path string, write func(io.Writer) error) (err error) {
	path = target(path)
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return writeDirectly(path, write)
		}
		mode = info.Mode().Perm()
	}
	f, err := create(path, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // the first error says more
		}
	}()
	if err := fill(f, write, (*os.File).Sync); err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			failed.Path = path // the name that the user knows
		}
		return err
	}
	return os.Rename(f.Name(), path)
}

// target follows symbolic links, so that the file and not the link is replaced.
func target(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// create opens a new file beside path, with a name that nobody has. Unlike
// os.CreateTemp it leaves the permissions to the umask.
func create(path string, mode fs.FileMode) (*os.File, error) {
	for {
		name := fmt.Sprintf("%s.%08x.tmp", path, rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func writeDirectly(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return fill(f, write, nil)
}

// fill writes the file, and closes it in any case. The first error counts.
func fill(f *os.File, write func(io.Writer) error, sync func(*os.File) error) error {
	b := bufio.NewWriter(f)
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil && sync != nil {
		err = sync(f)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
