// Package real is the benchmark on real input: three programs that archive a
// directory and check the archive.
//
// Each program reads every file, frames it as a record (record.go), writes all
// records to one stream, reads the stream back, and compares every byte of it
// with the files. The programs differ in how they manage memory:
//
//   - usual.go is the standard library as most people write it;
//   - expert.go is the standard library with buffers that are reused;
//   - octet.go is octet.
//
// They share only the format of the records and the texts of the errors, so
// that each can be judged by its own file. All must produce the same stream.
package real

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A program archives files. Each run uses a new one, without memory of its own.
type program interface {
	// write writes the records of files to w.
	write(files []file, w io.Writer) error
	// verify reads r to its end. It fails unless r holds the records of
	// files and the files still have the same contents.
	verify(files []file, r io.Reader) error
}

// Name is the group's name.
const Name = "real"

// The group's rows.
const (
	archiveRow = "op=archive"
	listRow    = "part=list"
	openRow    = "part=open"
)

const partsAside = "Parts of the work that no program can avoid, each alone: listing the directory (filepath.WalkDir), which is not included in the times above, and opening the files (os.Open), which is."

// Rows returns the names of the group's rows without reading a directory.
func Rows() []string { return []string{archiveRow, listRow, openRow} }

// Group lists the regular files below dir, no more than limit bytes of them
// together, and returns the group that works on them.
//
// The rows are the archive and, each on its own, the parts of the work that no
// program can avoid: listing the directory, which happens here once and is not
// part of any program's time, and opening the files, which is part of every
// program's.
func Group(dir string, limit int64) (contest.Group, error) {
	t, err := list(dir, limit)
	if err != nil {
		return contest.Group{}, err
	}
	if err := t.warm(); err != nil {
		return contest.Group{}, fmt.Errorf("%s: %w", dir, err)
	}
	return t.group(dir, limit), nil
}

func (t *tree) group(dir string, limit int64) contest.Group {
	same := new(digests)
	archive := func(name string, ours bool, start func() program) contest.Contestant {
		return contest.Contestant{Name: name, Ours: ours, Start: func() contest.Run {
			return startPass(t, name, start, same)
		}}
	}
	return contest.Group{
		Name: Name,
		About: fmt.Sprintf("A directory is archived to one stream and the stream is compared with it, byte for byte: "+
			"%d files, %.1f MB%s.", len(t.files), float64(t.size)/1e6, t.missing()),
		Rows: []contest.Row{
			{
				Name:  archiveRow,
				Bytes: t.size,
				Heap:  true,
				Contestants: []contest.Contestant{
					archive("octet", true, newOctet),
					archive("expert", false, func() program { return expert{} }),
					archive("usual", false, func() program { return usual{} }),
				},
			},
			{
				Name:  listRow,
				Aside: partsAside,
				Contestants: []contest.Contestant{{Name: "alone", Start: func() contest.Run {
					return repeat(func() error { _, err := list(dir, limit); return err })
				}}},
			},
			{
				Name:        openRow,
				Aside:       partsAside,
				Contestants: []contest.Contestant{{Name: "alone", Start: func() contest.Run { return repeat(t.openAll) }}},
			},
		},
	}
}

// missing says how many files of the directory are not in t, and why.
func (t *tree) missing() string {
	s := ""
	if t.omitted > 0 {
		s += fmt.Sprintf("; %d more would be beyond the limit", t.omitted)
	}
	if t.skipped > 0 {
		s += fmt.Sprintf("; %d could not be read", t.skipped)
	}
	return s
}

// repeat returns a run that calls once n times and stops at the first error.
func repeat(once func() error) contest.Run {
	var err error
	return contest.Run{
		Do: func(n int) {
			for ; n > 0 && err == nil; n-- {
				err = once()
			}
		},
		Err: func() error { return err },
	}
}

// startPass returns a run in which an operation is one program, from its
// beginning to its end.
func startPass(t *tree, name string, start func() program, same *digests) contest.Run {
	stream, err := newScratch()
	if err != nil {
		return contest.Run{Do: func(int) {}, Err: func() error { return err }}
	}
	run := repeat(func() error {
		if err := pass(t, start(), stream); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return same.add(name, stream)
	})
	run.Stop = stream.close
	return run
}

// pass writes t to the stream with p, and verifies it.
func pass(t *tree, p program, stream io.ReadWriteSeeker) error {
	if _, err := stream.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := p.write(t.files, stream); err != nil {
		return err
	}
	// What an earlier pass left in the stream must not be mistaken for the
	// work of this one.
	switch end, err := stream.Seek(0, io.SeekCurrent); {
	case err != nil:
		return err
	case end != t.streamSize():
		return fmt.Errorf("wrote %d bytes, not %d", end, t.streamSize())
	}
	if _, err := stream.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return p.verify(t.files, stream)
}

func (t *tree) streamSize() int64 {
	var n int64
	for i := range t.files {
		n += recordSize(&t.files[i])
	}
	return n
}

// digests checks that all programs write the same stream. It looks at each
// after its first pass, which is not measured.
type digests struct {
	sums map[string][sha256.Size]byte
}

func (d *digests) add(name string, stream io.ReadSeeker) error {
	if _, ok := d.sums[name]; ok {
		return nil
	}
	if _, err := stream.Seek(0, io.SeekStart); err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.Copy(h, stream); err != nil {
		return err
	}
	sum := [sha256.Size]byte(h.Sum(nil))
	for other, s := range d.sums {
		if s != sum {
			return fmt.Errorf("%s writes a different stream than %s", name, other)
		}
	}
	if d.sums == nil {
		d.sums = make(map[string][sha256.Size]byte)
	}
	d.sums[name] = sum
	return nil
}

// A scratch is a file that is removed when it is closed.
type scratch struct {
	*os.File
	removed bool
}

func newScratch() (*scratch, error) {
	f, err := os.CreateTemp("", "octet-bench-*")
	if err != nil {
		return nil, err
	}
	// On systems that can remove open files, even a program that is killed
	// leaves nothing behind.
	return &scratch{f, os.Remove(f.Name()) == nil}, nil
}

func (s *scratch) close() {
	s.Close()
	if !s.removed {
		os.Remove(s.Name())
	}
}
