package real

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
)

// The usual program is what most people write: whole files by os.ReadFile,
// fields and structs by encoding/binary's Write and Read, bufio around the
// stream. It is short, right and easy to read.
type usual struct{}

func (usual) write(files []file, out io.Writer) error {
	w := bufio.NewWriter(out) // keeps the first error for Flush
	for i := range files {
		f := &files[i]
		data, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		if int64(len(data)) != f.Size {
			return changed(f)
		}
		binary.Write(w, binary.LittleEndian, uint32(len(f.name)))
		w.WriteString(f.name)
		binary.Write(w, binary.LittleEndian, f.meta)
		w.Write(data)
		if err := binary.Write(w, binary.LittleEndian, crc32.Checksum(data, castagnoli)); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (usual) verify(files []file, in io.Reader) error {
	r := bufio.NewReader(in)
	for i := range files {
		if err := usualVerify(&files[i], r); err != nil {
			return err
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return errTrailing
	}
	return nil
}

func usualVerify(f *file, r *bufio.Reader) error {
	var n uint32
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return short(f, err)
	}
	if int(n) != len(f.name) {
		return damaged(f, "the name differs")
	}
	name := make([]byte, n)
	if _, err := io.ReadFull(r, name); err != nil {
		return short(f, err)
	}
	if string(name) != f.name {
		return damaged(f, "the name differs")
	}
	var m meta
	if err := binary.Read(r, binary.LittleEndian, &m); err != nil {
		return short(f, err)
	}
	if m != f.meta {
		return damaged(f, "the metadata differ")
	}
	data := make([]byte, m.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return short(f, err)
	}
	var sum uint32
	if err := binary.Read(r, binary.LittleEndian, &sum); err != nil {
		return short(f, err)
	}
	if sum != crc32.Checksum(data, castagnoli) {
		return damaged(f, "the checksum differs")
	}
	want, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	if int64(len(want)) != f.Size {
		return changed(f)
	}
	if !bytes.Equal(data, want) {
		return damaged(f, "the contents differ")
	}
	return nil
}

var errTrailing = errors.New("the stream goes on after the last record")
