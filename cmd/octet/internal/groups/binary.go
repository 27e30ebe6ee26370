package groups

import (
	"bytes"
	stdbinary "encoding/binary"
	"fmt"
	"io"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Binary describes package binary: the sequences of fields of 1, 33 and 139 bytes
// by each way in, and slices of 1,024 numbers.
func Binary() contest.Group {
	rows := append(binaryExactRows(), binarySliceRows()...)
	return contest.Group{
		Name: "binary",
		About: "Encoding and decoding: sequences of 1 (small), 33 (medium) and 139 bytes (long), field by field to a Writer and " +
			"from a Reader, on byte slices, and through buffers; then 1,024 numbers at once, in both byte orders.",
		Rows: append(rows, binaryBulkRows()...),
	}
}

// The rows about WriteChain and Reader: a call of the Writer or Reader a field.
func binaryExactRows() []contest.Row {
	var rows []contest.Row
	for _, s := range []struct {
		name  string
		size  int64
		chain func(c *binary.WriteChain, r *record)
		write func(w io.Writer, r *record) error
	}{
		{"small", 1, chainSmall, stdWriteSmall},
		{"medium", 33, chainMedium, stdWriteMedium},
		{"long", 139, chainLong, stdWriteLong},
	} {
		rows = append(rows, contest.Row{Name: "op=WriteChain/size=" + s.name, Bytes: s.size, Contestants: []contest.Contestant{
			sliceContestant("octet", func() func(n int) {
				c, r := binary.WriteChain{Writer: opaqueWriter{}, ByteOrder: binary.LittleEndian}, sample
				return func(n int) {
					for range n {
						s.chain(&c, &r)
						if _, err := c.End(); err != nil {
							panic(err)
						}
					}
				}
			}),
			sliceContestant("encoding/binary.Write", func() func(n int) {
				w, r := io.Writer(opaqueWriter{}), sample
				return func(n int) {
					for range n {
						if err := s.write(w, &r); err != nil {
							panic(err)
						}
					}
				}
			}),
		}})
	}
	for _, s := range []struct {
		name string
		size int64
		ours func(in *binary.Reader, r *record)
		std  func(in io.Reader, r *record) error
	}{
		{"small", 1, readSmall, stdReadSmall},
		{"medium", 33, readMedium, stdReadMedium},
		{"long", 139, readLong, stdReadLong},
	} {
		input := handAppendLong(nil, &sample)
		if s.name == "small" {
			input = handAppendSmall(nil, &sample)
		} else if s.name == "medium" {
			input = handAppendMedium(nil, &sample)
		}
		rows = append(rows, contest.Row{Name: "op=Reader/size=" + s.name, Bytes: s.size, Contestants: []contest.Contestant{
			sliceContestant("octet", func() func(n int) {
				src, r := bytes.NewReader(input), sample
				in := binary.Reader{Reader: src, ByteOrder: binary.LittleEndian}
				return func(n int) {
					for range n {
						src.Reset(input)
						s.ours(&in, &r)
						if _, err := in.End(); err != nil {
							panic(err)
						}
					}
				}
			}),
			sliceContestant("encoding/binary.Read", func() func(n int) {
				src, r := bytes.NewReader(input), sample
				return func(n int) {
					for range n {
						src.Reset(input)
						if err := s.std(src, &r); err != nil {
							panic(err)
						}
					}
				}
			}),
		}})
	}
	return rows
}

//go:noinline
func chainSmall(c *binary.WriteChain, r *record) { c.Byte(r.b1) }

//go:noinline
func chainMedium(c *binary.WriteChain, r *record) {
	c.Int8(r.i8).Uint64(r.u[0]).Uint64(r.u[1]).Uint64(r.u[2]).Uint64(r.u[3])
}

//go:noinline
func chainLong(c *binary.WriteChain, r *record) {
	c.ByteSlice(r.s1[:])
	chainMedium(c, r)
	c.Int32(r.i32).ByteSlice(r.s2[:]).Int64(r.i[0]).Int64(r.i[1]).Int64(r.i[2])
}

//go:noinline
func readSmall(in *binary.Reader, r *record) { r.b1 = in.Byte() }

//go:noinline
func readMedium(in *binary.Reader, r *record) {
	r.i8 = in.Int8()
	for i := range r.u {
		r.u[i] = in.Uint64()
	}
}

//go:noinline
func readLong(in *binary.Reader, r *record) {
	in.Read(r.s1[:])
	readMedium(in, r)
	r.i32 = in.Int32()
	in.Read(r.s2[:])
	for i := range r.i {
		r.i[i] = in.Int64()
	}
}

// encoding/binary, a field at a time.

//go:noinline
func stdWriteSmall(w io.Writer, r *record) error {
	return stdbinary.Write(w, stdbinary.LittleEndian, r.b1)
}

//go:noinline
func stdWriteMedium(w io.Writer, r *record) error {
	if err := stdbinary.Write(w, stdbinary.LittleEndian, r.i8); err != nil {
		return err
	}
	for i := range r.u {
		if err := stdbinary.Write(w, stdbinary.LittleEndian, r.u[i]); err != nil {
			return err
		}
	}
	return nil
}

//go:noinline
func stdWriteLong(w io.Writer, r *record) error {
	if _, err := w.Write(r.s1[:]); err != nil {
		return err
	}
	if err := stdWriteMedium(w, r); err != nil {
		return err
	}
	if err := stdbinary.Write(w, stdbinary.LittleEndian, r.i32); err != nil {
		return err
	}
	if _, err := w.Write(r.s2[:]); err != nil {
		return err
	}
	for i := range r.i {
		if err := stdbinary.Write(w, stdbinary.LittleEndian, r.i[i]); err != nil {
			return err
		}
	}
	return nil
}

//go:noinline
func stdReadSmall(in io.Reader, r *record) error {
	return stdbinary.Read(in, stdbinary.LittleEndian, &r.b1)
}

//go:noinline
func stdReadMedium(in io.Reader, r *record) error {
	if err := stdbinary.Read(in, stdbinary.LittleEndian, &r.i8); err != nil {
		return err
	}
	for i := range r.u {
		if err := stdbinary.Read(in, stdbinary.LittleEndian, &r.u[i]); err != nil {
			return err
		}
	}
	return nil
}

//go:noinline
func stdReadLong(in io.Reader, r *record) error {
	if _, err := io.ReadFull(in, r.s1[:]); err != nil {
		return err
	}
	if err := stdReadMedium(in, r); err != nil {
		return err
	}
	if err := stdbinary.Read(in, stdbinary.LittleEndian, &r.i32); err != nil {
		return err
	}
	if _, err := io.ReadFull(in, r.s2[:]); err != nil {
		return err
	}
	for i := range r.i {
		if err := stdbinary.Read(in, stdbinary.LittleEndian, &r.i[i]); err != nil {
			return err
		}
	}
	return nil
}

// The rows about slices of numbers.
func binaryBulkRows() []contest.Row {
	rows := bulkRows[uint16]("u16", 2)
	rows = append(rows, bulkRows[uint32]("u32", 4)...)
	rows = append(rows, bulkRows[uint64]("u64", 8)...)
	return append(rows, bulkRows[float64]("f64", 8)...)
}

const bulkCount = 1024

func bulkRows[T uint16 | uint32 | uint64 | float64](name string, size int) []contest.Row {
	numbers := func() []T {
		v := make([]T, bulkCount)
		for i := range v {
			v[i] = T(i)
		}
		return v
	}
	var rows []contest.Row
	for _, o := range []struct {
		name  string
		order interface {
			stdbinary.ByteOrder
			stdbinary.AppendByteOrder
		}
	}{{"little", stdbinary.LittleEndian}, {"big", stdbinary.BigEndian}} {
		bytes := int64(size * bulkCount)
		suffix := fmt.Sprintf("/type=%s/order=%s", name, o.name)
		memory := sliceContestant("copy", func() func(n int) {
			dst, src := make([]byte, bytes), make([]byte, bytes)
			return func(n int) {
				for range n {
					copy(dst, src)
				}
			}
		})
		rows = append(rows, contest.Row{Name: "op=encode" + suffix, Bytes: bytes, Contestants: []contest.Contestant{
			sliceContestant("octet", func() func(n int) {
				dst, v := make([]byte, 0, bytes), numbers()
				return func(n int) {
					for range n {
						dst = binary.AppendSlice(dst[:0], o.order, v)
					}
				}
			}),
			memory,
			sliceContestant("encoding/binary.Append", func() func(n int) {
				dst, v := make([]byte, 0, bytes), numbers()
				return func(n int) {
					for range n {
						dst, _ = stdbinary.Append(dst[:0], o.order, v)
					}
				}
			}),
		}}, contest.Row{Name: "op=decode" + suffix, Bytes: bytes, Contestants: []contest.Contestant{
			sliceContestant("octet", func() func(n int) {
				v := numbers()
				src := binary.AppendSlice(nil, o.order, v)
				return func(n int) {
					for range n {
						if _, err := binary.DecodeSlice(src, o.order, v); err != nil {
							panic(err)
						}
					}
				}
			}),
			memory,
			sliceContestant("encoding/binary.Decode", func() func(n int) {
				v := numbers()
				src := binary.AppendSlice(nil, o.order, v)
				return func(n int) {
					for range n {
						if _, err := stdbinary.Decode(src, o.order, v); err != nil {
							panic(err)
						}
					}
				}
			}),
		}})
	}
	return rows
}
