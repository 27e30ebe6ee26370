package real

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
)

// The expert's program allocates its buffers once. It reads files directly into
// the buffer that it writes to the stream, and reads the stream through a
// bufio.Reader, whose buffer it uses in place, so that no byte is copied
// needlessly. The price is the bookkeeping.
type expert struct{}

// chunk is the size of the buffers: small enough for a second-level cache, and
// large enough for system calls not to matter.
const chunk = 256 << 10

func (expert) write(files []file, out io.Writer) error {
	e := expertWriter{out: out, buf: make([]byte, 0, chunk)}
	for i := range files {
		if err := e.add(&files[i]); err != nil {
			return err
		}
	}
	return e.flush()
}

// expertWriter collects records in buf.
type expertWriter struct {
	out io.Writer
	buf []byte
}

func (e *expertWriter) flush() error {
	_, err := e.out.Write(e.buf)
	e.buf = e.buf[:0]
	return err
}

// room makes room for n bytes, n <= chunk.
func (e *expertWriter) room(n int) error {
	if cap(e.buf)-len(e.buf) >= n {
		return nil
	}
	return e.flush()
}

func (e *expertWriter) add(f *file) error {
	src, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer src.Close()

	// A record that fits into the buffer is not split: one read gets the
	// contents, and another one, for which a byte is reserved, gets the end
	// of the file.
	if err := e.room(int(min(recordSize(f)+1, chunk))); err != nil {
		return err
	}
	e.buf = appendHead(e.buf, f)
	left, sum := f.Size, uint32(0)
	for {
		if err := e.room(1); err != nil {
			return err
		}
		n, err := src.Read(e.buf[len(e.buf):cap(e.buf)])
		sum = crc32.Update(sum, castagnoli, e.buf[len(e.buf):len(e.buf)+n])
		e.buf = e.buf[:len(e.buf)+n]
		left -= int64(n)
		if err == io.EOF && left == 0 {
			break
		}
		if left < 0 || err == io.EOF {
			return changed(f)
		}
		if err != nil {
			return err
		}
	}
	if err := e.room(crcLen); err != nil {
		return err
	}
	e.buf = binary.LittleEndian.AppendUint32(e.buf, sum)
	return nil
}

func (expert) verify(files []file, in io.Reader) error {
	r := bufio.NewReaderSize(in, chunk)
	buf := make([]byte, chunk/4)
	for i := range files {
		if err := expertVerify(&files[i], r, buf); err != nil {
			return err
		}
	}
	if _, err := r.Peek(1); err != io.EOF {
		return errTrailing
	}
	return nil
}

func expertVerify(f *file, r *bufio.Reader, buf []byte) error {
	head, err := r.Peek(nameLen + len(f.name) + metaLen)
	if err != nil {
		return short(f, err)
	}
	if !isHead(head, f) {
		return damaged(f, "the name or the metadata differ")
	}
	r.Discard(len(head))

	src, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer src.Close()
	sum := uint32(0)
	for left := f.Size; left > 0; {
		got, err := r.Peek(int(min(left, int64(len(buf)))))
		if err != nil {
			return short(f, err)
		}
		want := buf[:len(got)]
		if _, err := io.ReadFull(src, want); err != nil {
			return changedOr(f, err)
		}
		if !bytes.Equal(got, want) {
			return damaged(f, "the contents differ")
		}
		sum = crc32.Update(sum, castagnoli, got)
		r.Discard(len(got))
		left -= int64(len(got))
	}
	if n, err := src.Read(buf[:1]); n != 0 || err != io.EOF {
		return changedOr(f, err)
	}

	tail, err := r.Peek(crcLen)
	if err != nil {
		return short(f, err)
	}
	if binary.LittleEndian.Uint32(tail) != sum {
		return damaged(f, "the checksum differs")
	}
	r.Discard(crcLen)
	return nil
}

// changedOr reports that f became shorter or longer, if that is what err means;
// otherwise it returns err.
func changedOr(f *file, err error) error {
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		return changed(f)
	}
	return err
}
