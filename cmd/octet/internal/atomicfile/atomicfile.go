// Package atomicfile writes files that are either complete or absent.
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

// Check reports whether Write would fail before it writes anything.
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

// Write calls write to produce the contents of the file at path. They go to a
// new file in the same directory, which is renamed to path once it is complete
// and on the disk. If anything fails before that, the new file is removed and
// the old one is left alone. If path names a device or a pipe, Write writes to
// it directly. A symbolic link is followed, not replaced.
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
			os.Remove(f.Name()) // its own error says less than err
		}
	}()
	if err := fill(f, write, (*os.File).Sync); err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			failed.Path = path // the name that the user gave
		}
		return err
	}
	return os.Rename(f.Name(), path)
}

// target follows symbolic links, so that the file is replaced and not the link.
func target(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// create creates a file next to path, under a name that is not in use. Unlike
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

// fill writes the file and always closes it. It returns the first error.
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
