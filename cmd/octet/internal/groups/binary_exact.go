package groups

import (
	"bytes"
	stdbinary "encoding/binary"
	"io"

	"github.com/octet-go/octet/binary"
)

// The sequences field by field, for the rows in binary.go.

// With octet.

func chainSmall(n int, c *binary.WriteChain, r *record) {
	for range n {
		c.Uint8(r.b1).End()
	}
}

func chainMedium(n int, c *binary.WriteChain, r *record) {
	for range n {
		c.Int8(r.i8).Uint64(r.u[0]).Uint64(r.u[1]).Uint64(r.u[2]).Uint64(r.u[3]).End()
	}
}

func chainLong(n int, c *binary.WriteChain, r *record) {
	for range n {
		c.ByteSlice(r.s1[:]).
			Int8(r.i8).
			Uint64(r.u[0]).
			Uint64(r.u[1]).
			Uint64(r.u[2]).
			Uint64(r.u[3]).
			Int32(r.i32).
			ByteSlice(r.s2[:]).
			Int64(r.i[0]).
			Int64(r.i[1]).
			Int64(r.i[2]).End()
	}
}

func readerSmall(n int, in *bytes.Reader, src []byte, c *binary.Reader, r *record) {
	for range n {
		in.Reset(src)
		r.b1 = c.Uint8()
		c.End()
	}
}

func readerMedium(n int, in *bytes.Reader, src []byte, c *binary.Reader, r *record) {
	for range n {
		in.Reset(src)
		r.i8 = c.Int8()
		r.u[0] = c.Uint64()
		r.u[1] = c.Uint64()
		r.u[2] = c.Uint64()
		r.u[3] = c.Uint64()
		c.End()
	}
}

func readerLong(n int, in *bytes.Reader, src []byte, c *binary.Reader, r *record) {
	for range n {
		in.Reset(src)
		io.ReadFull(c, r.s1[:])
		r.i8 = c.Int8()
		r.u[0] = c.Uint64()
		r.u[1] = c.Uint64()
		r.u[2] = c.Uint64()
		r.u[3] = c.Uint64()
		r.i32 = c.Int32()
		io.ReadFull(c, r.s2[:])
		r.i[0] = c.Int64()
		r.i[1] = c.Int64()
		r.i[2] = c.Int64()
		c.End()
	}
}

// With encoding/binary, and byte slices with the Writer and io.ReadFull.

func stdWriteSmall(n int, w io.Writer, r *record) {
	for range n {
		stdbinary.Write(w, stdbinary.LittleEndian, r.b1)
	}
}

func stdWriteMedium(n int, w io.Writer, r *record) {
	for range n {
		stdbinary.Write(w, stdbinary.LittleEndian, r.i8)
		stdbinary.Write(w, stdbinary.LittleEndian, r.u[0])
		stdbinary.Write(w, stdbinary.LittleEndian, r.u[1])
		stdbinary.Write(w, stdbinary.LittleEndian, r.u[2])
		stdbinary.Write(w, stdbinary.LittleEndian, r.u[3])
	}
}

func stdWriteLong(n int, w io.Writer, r *record) {
	for range n {
		w.Write(r.s1[:])
		stdbinary.Write(w, stdbinary.LittleEndian, r.i8)
		stdbinary.Write(w, stdbinary.LittleEndian, r.u[0])
		stdbinary.Write(w, stdbinary.LittleEndian, r.u[1])
		stdbinary.Write(w, stdbinary.LittleEndian, r.u[2])
		stdbinary.Write(w, stdbinary.LittleEndian, r.u[3])
		stdbinary.Write(w, stdbinary.LittleEndian, r.i32)
		w.Write(r.s2[:])
		stdbinary.Write(w, stdbinary.LittleEndian, r.i[0])
		stdbinary.Write(w, stdbinary.LittleEndian, r.i[1])
		stdbinary.Write(w, stdbinary.LittleEndian, r.i[2])
	}
}

func stdReadSmall(n int, in *bytes.Reader, src []byte, r *record) {
	for range n {
		in.Reset(src)
		stdbinary.Read(in, stdbinary.LittleEndian, &r.b1)
	}
}

func stdReadMedium(n int, in *bytes.Reader, src []byte, r *record) {
	for range n {
		in.Reset(src)
		stdbinary.Read(in, stdbinary.LittleEndian, &r.i8)
		stdbinary.Read(in, stdbinary.LittleEndian, &r.u[0])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.u[1])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.u[2])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.u[3])
	}
}

func stdReadLong(n int, in *bytes.Reader, src []byte, r *record) {
	for range n {
		in.Reset(src)
		io.ReadFull(in, r.s1[:])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.i8)
		stdbinary.Read(in, stdbinary.LittleEndian, &r.u[0])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.u[1])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.u[2])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.u[3])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.i32)
		io.ReadFull(in, r.s2[:])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.i[0])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.i[1])
		stdbinary.Read(in, stdbinary.LittleEndian, &r.i[2])
	}
}

// By hand, through a scratch buffer.

func handWriteSmall(n int, w io.Writer, scratch []byte, r *record) {
	for range n {
		scratch[0] = r.b1
		w.Write(scratch[:1])
	}
}

func handWriteMedium(n int, w io.Writer, scratch []byte, r *record) {
	for range n {
		scratch[0] = byte(r.i8)
		w.Write(scratch[:1])
		stdbinary.LittleEndian.PutUint64(scratch, r.u[0])
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint64(scratch, r.u[1])
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint64(scratch, r.u[2])
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint64(scratch, r.u[3])
		w.Write(scratch[:8])
	}
}

func handWriteLong(n int, w io.Writer, scratch []byte, r *record) {
	for range n {
		w.Write(r.s1[:])
		scratch[0] = byte(r.i8)
		w.Write(scratch[:1])
		stdbinary.LittleEndian.PutUint64(scratch, r.u[0])
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint64(scratch, r.u[1])
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint64(scratch, r.u[2])
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint64(scratch, r.u[3])
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint32(scratch, uint32(r.i32))
		w.Write(scratch[:4])
		w.Write(r.s2[:])
		stdbinary.LittleEndian.PutUint64(scratch, uint64(r.i[0]))
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint64(scratch, uint64(r.i[1]))
		w.Write(scratch[:8])
		stdbinary.LittleEndian.PutUint64(scratch, uint64(r.i[2]))
		w.Write(scratch[:8])
	}
}

func handReadSmall(n int, in *bytes.Reader, src, scratch []byte, r *record) {
	for range n {
		in.Reset(src)
		io.ReadFull(in, scratch[:1])
		r.b1 = scratch[0]
	}
}

func handReadMedium(n int, in *bytes.Reader, src, scratch []byte, r *record) {
	for range n {
		in.Reset(src)
		io.ReadFull(in, scratch[:1])
		r.i8 = int8(scratch[0])
		io.ReadFull(in, scratch[:8])
		r.u[0] = stdbinary.LittleEndian.Uint64(scratch)
		io.ReadFull(in, scratch[:8])
		r.u[1] = stdbinary.LittleEndian.Uint64(scratch)
		io.ReadFull(in, scratch[:8])
		r.u[2] = stdbinary.LittleEndian.Uint64(scratch)
		io.ReadFull(in, scratch[:8])
		r.u[3] = stdbinary.LittleEndian.Uint64(scratch)
	}
}

func handReadLong(n int, in *bytes.Reader, src, scratch []byte, r *record) {
	for range n {
		in.Reset(src)
		io.ReadFull(in, r.s1[:])
		io.ReadFull(in, scratch[:1])
		r.i8 = int8(scratch[0])
		io.ReadFull(in, scratch[:8])
		r.u[0] = stdbinary.LittleEndian.Uint64(scratch)
		io.ReadFull(in, scratch[:8])
		r.u[1] = stdbinary.LittleEndian.Uint64(scratch)
		io.ReadFull(in, scratch[:8])
		r.u[2] = stdbinary.LittleEndian.Uint64(scratch)
		io.ReadFull(in, scratch[:8])
		r.u[3] = stdbinary.LittleEndian.Uint64(scratch)
		io.ReadFull(in, scratch[:4])
		r.i32 = int32(stdbinary.LittleEndian.Uint32(scratch))
		io.ReadFull(in, r.s2[:])
		io.ReadFull(in, scratch[:8])
		r.i[0] = int64(stdbinary.LittleEndian.Uint64(scratch))
		io.ReadFull(in, scratch[:8])
		r.i[1] = int64(stdbinary.LittleEndian.Uint64(scratch))
		io.ReadFull(in, scratch[:8])
		r.i[2] = int64(stdbinary.LittleEndian.Uint64(scratch))
	}
}
