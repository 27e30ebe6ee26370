package real

import (
	"bytes"
	"hash/crc32"
	"io"
	"os"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool"
)

// The octet program takes its buffers from a pool where it needs them and
// releases them there, so that nothing has to be passed around for reuse: what
// write releases, verify gets. It frames records with package binary.
type octet struct{ pools *bytespool.CapacityPools }

func newOctet() program { return octet{bytespool.NewCapacityPools(64, chunk)} }

func (o octet) write(files []file, w io.Writer) error {
	out := o.pools.Make(chunk)
	defer o.pools.Release(out)
	for i := range files {
		var err error
		if out, err = octetAppend(out, &files[i], w); err != nil {
			return err
		}
	}
	_, err := w.Write(out)
	return err
}

// octetAppend appends f's record to out. When out is full, it writes it to w
// and begins anew.
func octetAppend(out []byte, f *file, w io.Writer) ([]byte, error) {
	src, err := os.Open(f.path)
	if err != nil {
		return out, err
	}
	defer src.Close()

	// room keeps a record together if it is not larger than out.
	if out, err = room(out, int(min(recordSize(f)+1, chunk)), w); err != nil {
		return out, err
	}
	out = binary.LE(out).String32(f.name).Int64(f.Size).Uint32(f.Mode).Int64(f.ModTime)
	left, sum := f.Size, uint32(0)
	for {
		if out, err = room(out, 1, w); err != nil {
			return out, err
		}
		n, err := src.Read(out[len(out):cap(out)])
		got := out[len(out) : len(out)+n]
		sum = crc32.Update(sum, castagnoli, got)
		out = out[:len(out)+n]
		left -= int64(n)
		if err == io.EOF && left == 0 {
			break
		}
		if left < 0 || err == io.EOF {
			return out, changed(f)
		}
		if err != nil {
			return out, err
		}
	}
	if out, err = room(out, crcLen, w); err != nil {
		return out, err
	}
	return binary.LE(out).Uint32(sum), nil
}

// room writes out to w and empties it if fewer than n bytes are free.
func room(out []byte, n int, w io.Writer) ([]byte, error) {
	if cap(out)-len(out) >= n {
		return out, nil
	}
	_, err := w.Write(out)
	return out[:0], err
}

func (o octet) verify(files []file, r io.Reader) error {
	in := window{r: r, buf: o.pools.New(chunk)}
	defer o.pools.Release(in.buf)
	for i := range files {
		if err := o.check(&files[i], &in); err != nil {
			return err
		}
	}
	if _, err := in.next(1); err != io.EOF {
		return errTrailing
	}
	return nil
}

func (o octet) check(f *file, in *window) error {
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
	buf := o.pools.New(chunk / 4)
	defer o.pools.Release(buf)
	sum := uint32(0)
	for left := f.Size; left > 0; {
		got, err := in.next(int(min(left, int64(len(buf)))))
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
		left -= int64(len(got))
	}
	if n, err := src.Read(buf[:1]); n != 0 || err != io.EOF {
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

// A window shows a stream piece by piece in a buffer.
type window struct {
	r        io.Reader
	buf      []byte
	off, end int // what was read and not yet shown
}

// next returns the next n bytes of the stream, n <= len(w.buf). They are valid
// until the next call.
func (w *window) next(n int) ([]byte, error) {
	if w.end-w.off < n {
		w.off, w.end = 0, copy(w.buf, w.buf[w.off:w.end])
		m, err := io.ReadAtLeast(w.r, w.buf[w.end:], n-w.end)
		w.end += m
		if err != nil {
			return nil, err
		}
	}
	w.off += n
	return w.buf[w.off-n : w.off], nil
}
