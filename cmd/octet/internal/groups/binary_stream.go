package groups

import (
	"bufio"
	stdbinary "encoding/binary"
	"io"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// The long sequence, through a buffer, to a writer and from a reader of unknown
// type.
func streamWriteRow() contest.Row {
	return contest.Row{Name: "op=stream-write/size=long", Contestants: []contest.Contestant{
		start("octet", true, func() func(n int) {
			e, r := binary.NewStreamEncoder[binary.Little](new(opaque)), example
			return func(n int) {
				for range n {
					encodeLong(e, &r)
				}
			}
		}),
		start("bufio+scratch", false, func() func(n int) {
			w, r := bufio.NewWriter(new(opaque)), example
			return func(n int) {
				for range n {
					bufioWriteLong(w, &r)
				}
			}
		}),
	}}
}

func streamReadRow() contest.Row {
	return contest.Row{Name: "op=stream-read/size=long", Contestants: []contest.Contestant{
		start("octet", true, func() func(n int) {
			r := example
			d := binary.NewStreamDecoder[binary.Little](&endless{record: handAppendLong(nil, &r)})
			return func(n int) {
				for range n {
					if err := streamDecodeLong(&r, d); err != nil {
						panic(err)
					}
				}
			}
		}),
		start("bufio+scratch", false, func() func(n int) {
			r := example
			in := bufio.NewReader(&endless{record: handAppendLong(nil, &r)})
			scratch := make([]byte, 8)
			return func(n int) {
				for range n {
					if err := bufioReadLong(&r, in, scratch); err != nil {
						panic(err)
					}
				}
			}
		}),
	}}
}

// endless repeats a record forever.
type endless struct {
	record []byte
	at     int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		k := copy(p[n:], e.record[e.at:])
		n += k
		e.at = (e.at + k) % len(e.record)
	}
	return n, nil
}

func encodeLong(e *binary.StreamEncoder[binary.Little], r *record) {
	e.Bytes(r.S1[:]).
		Int8(r.I8).
		Uint64(r.U[0]).
		Uint64(r.U[1]).
		Uint64(r.U[2]).
		Uint64(r.U[3]).
		Int32(r.I32).
		Bytes(r.S2[:]).
		Int64(r.I[0]).
		Int64(r.I[1]).
		Int64(r.I[2])
}

func streamDecodeLong(r *record, d *binary.StreamDecoder[binary.Little]) error {
	d.Copy(r.S1[:])
	r.I8 = d.Int8()
	r.U[0] = d.Uint64()
	r.U[1] = d.Uint64()
	r.U[2] = d.Uint64()
	r.U[3] = d.Uint64()
	r.I32 = d.Int32()
	d.Copy(r.S2[:])
	r.I[0] = d.Int64()
	r.I[1] = d.Int64()
	r.I[2] = d.Int64()
	return d.Err()
}

// With bufio and a scratch buffer, which is how streams are written by hand.

func bufioWriteLong(w *bufio.Writer, r *record) {
	// AvailableBuffer is the scratch buffer: it is appended to, then written.
	w.Write(r.S1[:])
	w.WriteByte(byte(r.I8))
	w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), r.U[0]))
	w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), r.U[1]))
	w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), r.U[2]))
	w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), r.U[3]))
	w.Write(stdbinary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(r.I32)))
	w.Write(r.S2[:])
	w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(r.I[0])))
	w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(r.I[1])))
	w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(r.I[2])))
}

func bufioReadLong(r *record, in *bufio.Reader, scratch []byte) error {
	if _, err := io.ReadFull(in, r.S1[:]); err != nil {
		return err
	}
	b, err := in.ReadByte()
	if err != nil {
		return err
	}
	r.I8 = int8(b)
	for i := range r.U {
		if _, err := io.ReadFull(in, scratch[:8]); err != nil {
			return err
		}
		r.U[i] = stdbinary.LittleEndian.Uint64(scratch)
	}
	if _, err := io.ReadFull(in, scratch[:4]); err != nil {
		return err
	}
	r.I32 = int32(stdbinary.LittleEndian.Uint32(scratch))
	if _, err := io.ReadFull(in, r.S2[:]); err != nil {
		return err
	}
	for i := range r.I {
		if _, err := io.ReadFull(in, scratch[:8]); err != nil {
			return err
		}
		r.I[i] = int64(stdbinary.LittleEndian.Uint64(scratch))
	}
	return nil
}
