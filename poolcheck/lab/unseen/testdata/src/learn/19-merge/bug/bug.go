// Package bug merges segments into a file, through a pooled writer.
package bug

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"sync"
)

var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 1<<20) }}

type countHashWriter struct {
	w   io.Writer
	n   int
	crc uint32
}

func (c *countHashWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.crc = crc32.Update(c.crc, crc32.IEEETable, p[:n])
	c.n += n
	return n, err
}

func writeFooter(numDocs int, crc uint32, w io.Writer) error {
	var foot [8]byte
	binary.BigEndian.PutUint32(foot[:], uint32(numDocs))
	binary.BigEndian.PutUint32(foot[4:], crc)
	_, err := w.Write(foot[:])
	return err
}

func merge(path string, mergeTo func(w io.Writer) (numDocs int, err error)) (int, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	cleanup := func() {
		_ = f.Close()
		_ = os.Remove(path)
	}

	br := writers.Get().(*bufio.Writer)
	br.Reset(f)
	cw := &countHashWriter{w: br}

	numDocs, err := mergeTo(cw)
	if err != nil {
		cleanup()
		return 0, err
	}
	if err := writeFooter(numDocs, cw.crc, cw); err != nil {
		cleanup()
		return 0, err
	}
	if err := br.Flush(); err != nil {
		cleanup()
		return 0, err
	}
	if err := f.Sync(); err != nil {
		cleanup()
		return 0, err
	}
	if err := f.Close(); err != nil {
		cleanup()
		return 0, err
	}
	written := cw.n
	writers.Put(br)
	return written, nil
}
