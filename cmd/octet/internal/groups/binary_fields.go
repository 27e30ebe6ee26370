package groups

import (
	"bufio"
	stdbinary "encoding/binary"
	"errors"
	"io"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// The rows about byte slices. All contestants of a row write the same bytes, or fill the
// same record from them, which a test checks. Each is called through a table and so is not
// inlined, as it would not be for a message of some size; otherwise constants would be folded
// into some of the loops.

// A record has the fields of the sequences: medium is the field of that name, and long is
// everything, in this order.
type record struct {
	S1 [7]byte
	medium
	I32 int32
	S2  [71]byte
	I   [3]int64
}

type medium struct {
	I8 int8
	U  [4]uint64
}

var example = record{
	S1:     [7]byte([]byte("Ok meme")),
	medium: medium{-122, [...]uint64{52, 2342, 234, 19869186912682}},
	I32:    186928,
	S2:     [71]byte([]byte("how much wood would a woodchuck chuck if a woodchuck could chhuck wood?")),
	I:      [3]int64{6928692348, 242623, 235234523},
}

var errShort = errors.New("short input")

// A coder writes and reads a sequence.
type coder struct {
	name   string
	append func(dst []byte, r *record) []byte
	decode func(r *record, src []byte) error
}

// The sequences are those of howl.moe/binary's benchmarks.
var sequences = []struct {
	name   string
	size   int
	coders []coder
}{
	{"medium", 33, []coder{
		{"octet", appendMedium, decodeMedium},
		{"hand", handAppendMedium, handDecodeMedium},
		std(func(r *record) any { return &r.medium }),
	}},
	{"long", 139, []coder{
		{"octet", appendLong, decodeLong},
		{"hand", handAppendLong, handDecodeLong},
		std(func(r *record) any { return r }),
	}},
}

func fieldRows() []contest.Row {
	var rows []contest.Row
	for _, s := range sequences {
		write := contest.Row{Name: "op=append/size=" + s.name}
		read := contest.Row{Name: "op=decode/size=" + s.name}
		for _, c := range s.coders {
			write.Contestants = append(write.Contestants, contestant(c.name, func() []byte { return make([]byte, 0, 256) }, func(dst []byte, n int) {
				for range n {
					dst = c.append(dst[:0], &example)
				}
			}))
			read.Contestants = append(read.Contestants, contestant(c.name, func() []byte { return c.append(nil, &example) }, func(src []byte, n int) {
				var r record
				for range n {
					if err := c.decode(&r, src); err != nil {
						panic(err)
					}
				}
			}))
		}
		rows = append(rows, write, read)
	}
	return append(rows, streamWriteRow(), streamReadRow())
}

// With octet.

func appendMedium(dst []byte, r *record) []byte {
	return binary.LE(dst).Int8(r.I8).Uint64(r.U[0]).Uint64(r.U[1]).Uint64(r.U[2]).Uint64(r.U[3])
}

func appendLong(dst []byte, r *record) []byte {
	return binary.LE(dst).
		Bytes(r.S1[:]).
		Int8(r.I8).
		Uint64(r.U[0]).Uint64(r.U[1]).Uint64(r.U[2]).Uint64(r.U[3]).
		Int32(r.I32).
		Bytes(r.S2[:]).
		Int64(r.I[0]).Int64(r.I[1]).Int64(r.I[2])
}

func decodeMedium(r *record, src []byte) error {
	d := binary.DecodeLE(src)
	r.I8 = d.Int8()
	r.U[0] = d.Uint64()
	r.U[1] = d.Uint64()
	r.U[2] = d.Uint64()
	r.U[3] = d.Uint64()
	return d.Err()
}

func decodeLong(r *record, src []byte) error {
	d := binary.DecodeLE(src)
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

// std uses encoding/binary, a struct at a time: that which of returns. What has a fixed size
// cannot fail to be appended.
func std(of func(r *record) any) coder {
	return coder{"encoding/binary",
		func(dst []byte, r *record) []byte {
			dst, _ = stdbinary.Append(dst, stdbinary.LittleEndian, of(r))
			return dst
		},
		func(r *record, src []byte) error {
			_, err := stdbinary.Decode(src, stdbinary.LittleEndian, of(r))
			return err
		}}
}

// By hand.

func handAppendMedium(dst []byte, r *record) []byte {
	dst = append(dst, byte(r.I8))
	dst = stdbinary.LittleEndian.AppendUint64(dst, r.U[0])
	dst = stdbinary.LittleEndian.AppendUint64(dst, r.U[1])
	dst = stdbinary.LittleEndian.AppendUint64(dst, r.U[2])
	return stdbinary.LittleEndian.AppendUint64(dst, r.U[3])
}

func handAppendLong(dst []byte, r *record) []byte {
	dst = append(dst, r.S1[:]...)
	dst = append(dst, byte(r.I8))
	dst = stdbinary.LittleEndian.AppendUint64(dst, r.U[0])
	dst = stdbinary.LittleEndian.AppendUint64(dst, r.U[1])
	dst = stdbinary.LittleEndian.AppendUint64(dst, r.U[2])
	dst = stdbinary.LittleEndian.AppendUint64(dst, r.U[3])
	dst = stdbinary.LittleEndian.AppendUint32(dst, uint32(r.I32))
	dst = append(dst, r.S2[:]...)
	dst = stdbinary.LittleEndian.AppendUint64(dst, uint64(r.I[0]))
	dst = stdbinary.LittleEndian.AppendUint64(dst, uint64(r.I[1]))
	return stdbinary.LittleEndian.AppendUint64(dst, uint64(r.I[2]))
}

func handDecodeMedium(r *record, src []byte) error {
	if len(src) < 33 {
		return errShort
	}
	r.I8 = int8(src[0])
	r.U[0] = stdbinary.LittleEndian.Uint64(src[1:])
	r.U[1] = stdbinary.LittleEndian.Uint64(src[9:])
	r.U[2] = stdbinary.LittleEndian.Uint64(src[17:])
	r.U[3] = stdbinary.LittleEndian.Uint64(src[25:])
	return nil
}

func handDecodeLong(r *record, src []byte) error {
	if len(src) < 139 {
		return errShort
	}
	copy(r.S1[:], src)
	r.I8 = int8(src[7])
	r.U[0] = stdbinary.LittleEndian.Uint64(src[8:])
	r.U[1] = stdbinary.LittleEndian.Uint64(src[16:])
	r.U[2] = stdbinary.LittleEndian.Uint64(src[24:])
	r.U[3] = stdbinary.LittleEndian.Uint64(src[32:])
	r.I32 = int32(stdbinary.LittleEndian.Uint32(src[40:]))
	copy(r.S2[:], src[44:])
	r.I[0] = int64(stdbinary.LittleEndian.Uint64(src[115:]))
	r.I[1] = int64(stdbinary.LittleEndian.Uint64(src[123:]))
	r.I[2] = int64(stdbinary.LittleEndian.Uint64(src[131:]))
	return nil
}

// The long sequence, through a buffer, to a writer and from a reader of unknown
// type.
func streamWriteRow() contest.Row {
	w := struct{ io.Writer }{io.Discard}
	openEncoder := func() *binary.StreamEncoder[binary.Little] { return binary.NewStreamEncoder[binary.Little](w) }
	openWriter := func() *bufio.Writer { return bufio.NewWriter(w) }
	return contest.Row{Name: "op=stream-write/size=long", Contestants: []contest.Contestant{
		contestant("octet", openEncoder, func(e *binary.StreamEncoder[binary.Little], n int) {
			for range n {
				encodeLong(e, &example)
			}
		}),
		contestant("bufio+scratch", openWriter, func(w *bufio.Writer, n int) {
			for range n {
				bufioWriteLong(w, &example)
			}
		}),
	}}
}

func streamReadRow() contest.Row {
	openDecoder := func() *binary.StreamDecoder[binary.Little] {
		return binary.NewStreamDecoder[binary.Little](newEndless())
	}
	openReader := func() *bufio.Reader { return bufio.NewReader(newEndless()) }
	return contest.Row{Name: "op=stream-read/size=long", Contestants: []contest.Contestant{
		contestant("octet", openDecoder, func(d *binary.StreamDecoder[binary.Little], n int) {
			var r record
			for range n {
				if err := streamDecodeLong(&r, d); err != nil {
					panic(err)
				}
			}
		}),
		contestant("bufio+scratch", openReader, func(in *bufio.Reader, n int) {
			var r record
			scratch := make([]byte, 8)
			for range n {
				if err := bufioReadLong(&r, in, scratch); err != nil {
					panic(err)
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

func newEndless() *endless { return &endless{record: handAppendLong(nil, &example)} }

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
		Uint64(r.U[0]).Uint64(r.U[1]).Uint64(r.U[2]).Uint64(r.U[3]).
		Int32(r.I32).
		Bytes(r.S2[:]).
		Int64(r.I[0]).Int64(r.I[1]).Int64(r.I[2])
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
	for _, u := range r.U {
		w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), u))
	}
	w.Write(stdbinary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(r.I32)))
	w.Write(r.S2[:])
	for _, i := range r.I {
		w.Write(stdbinary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(i)))
	}
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
