package real

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A file is a regular file as it was when it was listed.
type file struct {
	path string // for opening it
	name string // relative to the tree, with slashes
	meta
}

// A tree is the input of a run.
type tree struct {
	files   []file
	size    int64 // of all files
	skipped int   // files that could not be read, or not to their end
	omitted int   // files beyond the limit
}

// list returns the regular files below dir in lexical order, no more than limit
// bytes of them together. An unreadable directory counts as one skipped file.
func list(dir string, limit int64) (*tree, error) {
	t := new(tree)
	// A symbolic link is followed if it is dir itself, and only then.
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == root {
				return err
			}
			t.skipped++
			return nil
		}
		if path == root && !d.IsDir() {
			return fmt.Errorf("%s is not a directory", dir)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil { // deleted since the directory was read
			t.skipped++
			return nil
		}
		if info.Size() > limit-t.size {
			t.omitted++
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		t.size += info.Size()
		t.files = append(t.files, file{
			path: path,
			name: filepath.ToSlash(name),
			meta: meta{Size: info.Size(), Mode: uint32(info.Mode()), ModTime: info.ModTime().UnixNano()},
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// warm reads every file once, so that all programs find them in the page cache.
// It drops files that cannot be read or whose size is not the one that was
// listed.
func (t *tree) warm() error {
	buf := make([]byte, chunk)
	kept := t.files[:0]
	for _, f := range t.files {
		if size, err := sizeOf(f.path, buf); err != nil || size != f.Size {
			t.skipped++
			t.size -= f.Size
			continue
		}
		kept = append(kept, f)
	}
	t.files = kept
	if len(t.files) == 0 {
		return errNoFiles
	}
	return nil
}

func sizeOf(path string, buf []byte) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var size int64
	for {
		n, err := f.Read(buf)
		size += int64(n)
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

var errNoFiles = errors.New("no regular file that can be read")

// openAll opens and closes every file as often as each program has to.
func (t *tree) openAll() error {
	for range 2 {
		for i := range t.files {
			f, err := os.Open(t.files[i].path)
			if err != nil {
				return fmt.Errorf("cannot open: %w", err)
			}
			f.Close()
		}
	}
	return nil
}
