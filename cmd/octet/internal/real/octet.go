package real

import (
	"bytes"
	"hash/crc32"
	"io"
	"os"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// The octet program gets a buffer where it needs one and releases it there.
// Nothing has to be passed around for reuse: verify gets the buffers that write
// released. It frames records with package binary.
type octet struct{}

func newOctet() program {
	bytespool.DefaultCapacityPools = bytespool.NewCapacityPools(64, chunk)
	return octet{}
}

func (octet) write(files []file, w io.Writer) error {
	out := buffer.Make(chunk)
	defer out.Release()
	for i := range files {
		if err := octetAppend(out, &files[i], w); err != nil {
			return err
		}
	}
	return flush(out, w)
}

// octetAppend appends f's record to out. Whenever out is full, it writes out to
// w and empties it.
func octetAppend(out *buffer.Buffer, f *file, w io.Writer) error {
	src, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer src.Close()

	// This keeps a record together if it is not larger than out.
	if err := room(out, int(min(recordSize(f)+1, chunk)), w); err != nil {
		return err
	}
	out.B = binary.LE(out.B).String32(f.name).Int64(f.Size).Uint32(f.Mode).Int64(f.ModTime)
	left, sum := f.Size, uint32(0)
	for {
		if err := room(out, 1, w); err != nil {
			return err
		}
		got, err := readOnce(out, src)
		sum = crc32.Update(sum, castagnoli, got)
		left -= int64(len(got))
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
	if err := room(out, crcLen, w); err != nil {
		return err
	}
	out.B = binary.LE(out.B).Uint32(sum)
	return nil
}

// readOnce reads once from r into the free space of out and returns what it
// read.
func readOnce(out *buffer.Buffer, r io.Reader) ([]byte, error) {
	begin := len(out.B)
	n, err := r.Read(out.B[begin:cap(out.B)])
	out.B = out.B[:begin+n]
	return out.B[begin:], err
}

// room makes room for n bytes, n <= chunk.
func room(out *buffer.Buffer, n int, w io.Writer) error {
	if out.Available() >= n {
		return nil
	}
	return flush(out, w)
}

// flush writes out to w and empties it.
func flush(out *buffer.Buffer, w io.Writer) error {
	_, err := out.WriteTo(w)
	out.Reset()
	return err
}

func (octet) verify(files []file, r io.Reader) error {
	in := window{r, buffer.Make(chunk)}
	defer in.buf.Release()
	for i := range files {
		if err := octetCheck(&files[i], in); err != nil {
			return err
		}
	}
	if _, err := in.next(1); err != io.EOF {
		return errTrailing
	}
	return nil
}

// octetCheck compares the next record of in with f.
func octetCheck(f *file, in window) error {
	head, err := in.next(nameLen + len(f.name) + metaLen)
	if err != nil {
		return short(f, err)
	}
	d := binary.DecodeLE(head)
	if string(d.Bytes32()) != f.name || d.Int64() != f.Size || d.Uint32() != f.Mode || d.Int64() != f.ModTime {
		return damaged(f, "the name or the metadata differ")
	}

	src, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer src.Close()
	buf := buffer.New(chunk / 4)
	defer buf.Release()
	sum := uint32(0)
	for left := f.Size; left > 0; {
		got, err := in.next(int(min(left, chunk/4)))
		if err != nil {
			return short(f, err)
		}
		want := buf.B[:len(got)]
		if _, err := io.ReadFull(src, want); err != nil {
			return changedOr(f, err)
		}
		if !bytes.Equal(got, want) {
			return damaged(f, "the contents differ")
		}
		sum = crc32.Update(sum, castagnoli, got)
		left -= int64(len(got))
	}
	if n, err := src.Read(buf.B[:1]); n != 0 || err != io.EOF {
		return changedOr(f, err)
	}

	tail, err := in.next(crcLen)
	if err != nil {
		return short(f, err)
	}
	if d := binary.DecodeLE(tail); d.Uint32() != sum {
		return damaged(f, "the checksum differs")
	}
	return nil
}

// A window shows a stream piece by piece.
type window struct {
	r   io.Reader
	buf *buffer.Buffer // read from r; its read offset is where the next piece begins
}

// next returns the next n bytes of the stream, n <= chunk. They are valid until
// the next call.
func (w window) next(n int) ([]byte, error) {
	if b := w.buf; b.Len() < n {
		b.Set(b.Bytes()) // moves the unread bytes to the beginning
		m, err := io.ReadAtLeast(w.r, b.B[len(b.B):cap(b.B)], n-len(b.B))
		b.B = b.B[:len(b.B)+m]
		if err != nil {
			return nil, err
		}
	}
	return w.buf.Next(n), nil
}
