package groups

import (
	"bytes"
	stdbinary "encoding/binary"
	"fmt"
	"io"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Binary measures writing and reading numbers: field by field to an io.Writer
// and from an io.Reader, slices of numbers, and fields in a []byte.
func Binary() contest.Group {
	g := contest.Group{
		Name: "binary",
		About: "Most rows write or read fields: the sequences small, medium and long, of 1, 33 and 139 bytes, which are those of howl.moe/binary's benchmarks. " +
			"Write is to an io.Writer of unknown type, read from a *bytes.Reader; append and decode work on a []byte; " +
			"stream-write and stream-read have a buffer in between. Encode and decode of 1,024 elements compare with copy, which only moves as many bytes.",
	}
	for _, s := range exactSequences {
		g.Rows = append(g.Rows, writeRow(s))
	}
	for _, s := range exactSequences {
		g.Rows = append(g.Rows, readRow(s))
	}
	g.Rows = append(g.Rows, bulkRows[uint16]("u16")...)
	g.Rows = append(g.Rows, bulkRows[uint32]("u32")...)
	g.Rows = append(g.Rows, bulkRows[uint64]("u64")...)
	g.Rows = append(g.Rows, binaryAppendRows()...)
	return g
}

// An exactSequence is one of the sequences, written and read field by field.
// The fields of all contestants come from a record and go to one; see
// binary_append.go.
type exactSequence struct {
	name string
	size int64

	chain     func(n int, c *binary.WriteChain, r *record)
	stdWrite  func(n int, w io.Writer, r *record)
	handWrite func(n int, w io.Writer, scratch []byte, r *record)

	reader   func(n int, in *bytes.Reader, src []byte, c *binary.Reader, r *record)
	stdRead  func(n int, in *bytes.Reader, src []byte, r *record)
	handRead func(n int, in *bytes.Reader, src, scratch []byte, r *record)
}

var exactSequences = []exactSequence{
	{
		"small", 1,
		chainSmall, stdWriteSmall, handWriteSmall,
		readerSmall, stdReadSmall, handReadSmall,
	},
	{
		"medium", 33,
		chainMedium, stdWriteMedium, handWriteMedium,
		readerMedium, stdReadMedium, handReadMedium,
	},
	{
		"long", 139,
		chainLong, stdWriteLong, handWriteLong,
		readerLong, stdReadLong, handReadLong,
	},
}

func writeRow(s exactSequence) contest.Row {
	return contest.Row{Name: "op=write/size=" + s.name, Bytes: s.size, Contestants: []contest.Contestant{
		start("octet.WriteChain", true, func() func(int) {
			c, r := &binary.WriteChain{Writer: new(opaque), ByteOrder: binary.LittleEndian}, example
			return func(n int) { s.chain(n, c, &r) }
		}),
		start("encoding/binary.Write", false, func() func(int) {
			w, r := new(opaque), example
			return func(n int) { s.stdWrite(n, w, &r) }
		}),
		start("hand", false, func() func(int) {
			w, scratch, r := new(opaque), make([]byte, 8), example
			return func(n int) { s.handWrite(n, w, scratch, &r) }
		}),
	}}
}

func readRow(s exactSequence) contest.Row {
	var src bytes.Buffer
	r := example
	s.stdWrite(1, &src, &r)
	return contest.Row{Name: "op=read/size=" + s.name, Bytes: s.size, Contestants: []contest.Contestant{
		start("octet.Reader", true, func() func(int) {
			in, r := bytes.NewReader(nil), example
			c := &binary.Reader{Reader: in, ByteOrder: binary.LittleEndian}
			return func(n int) { s.reader(n, in, src.Bytes(), c, &r) }
		}),
		start("encoding/binary.Read", false, func() func(int) {
			in, r := bytes.NewReader(nil), example
			return func(n int) { s.stdRead(n, in, src.Bytes(), &r) }
		}),
		start("hand", false, func() func(int) {
			in, scratch, r := bytes.NewReader(nil), make([]byte, 8), example
			return func(n int) { s.handRead(n, in, src.Bytes(), scratch, &r) }
		}),
	}}
}

// opaque is an io.Writer of a type that package binary does not know. It
// accepts everything.
type opaque struct{}

func (*opaque) Write(p []byte) (int, error) { return len(p), nil }

// bulkRows returns the rows about 1,024 elements.
func bulkRows[T binary.Number](name string) []contest.Row {
	const elements = 1024
	size := stdbinary.Size(*new(T)) * elements
	type memory struct {
		dst, src []byte
		v        []T
	}
	alloc := func() memory {
		m := memory{make([]byte, 0, size), make([]byte, size), make([]T, elements)}
		for i := range m.src {
			m.src[i] = byte(i)
		}
		return m
	}
	var rows []contest.Row
	for _, order := range []struct {
		name string
		binary.ByteOrder
	}{
		{"little", binary.LittleEndian},
		{"big", binary.BigEndian},
	} {
		rows = append(rows, contest.Row{
			Name:  fmt.Sprintf("op=encode/elements=%d/of=%s/order=%s", elements, name, order.name),
			Bytes: int64(size),
			Contestants: []contest.Contestant{
				start("octet.AppendSlice", true, func() func(int) {
					m := alloc()
					return func(n int) {
						for range n {
							m.dst = binary.AppendSlice(m.dst[:0], order.ByteOrder, m.v)
						}
					}
				}),
				start("copy", false, func() func(int) {
					m := alloc()
					return func(n int) {
						for range n {
							m.dst = append(m.dst[:0], m.src...)
						}
					}
				}),
				start("encoding/binary.Append", false, func() func(int) {
					m := alloc()
					return func(n int) {
						for range n {
							m.dst, _ = stdbinary.Append(m.dst[:0], order.ByteOrder, m.v)
						}
					}
				}),
			},
		}, contest.Row{
			Name:  fmt.Sprintf("op=decode/elements=%d/of=%s/order=%s", elements, name, order.name),
			Bytes: int64(size),
			Contestants: []contest.Contestant{
				start("octet.DecodeSlice", true, func() func(int) {
					m := alloc()
					return func(n int) {
						for range n {
							binary.DecodeSlice(m.src, order.ByteOrder, m.v)
						}
					}
				}),
				start("copy", false, func() func(int) {
					m := alloc()
					m.dst = m.dst[:size]
					return func(n int) {
						for range n {
							copy(m.dst, m.src)
						}
					}
				}),
				start("encoding/binary.Decode", false, func() func(int) {
					m := alloc()
					return func(n int) {
						for range n {
							stdbinary.Decode(m.src, order.ByteOrder, m.v)
						}
					}
				}),
			},
		})
	}
	return rows
}
