package groups

import (
	stdbinary "encoding/binary"
	"fmt"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Binary measures writing and reading numbers: slices of them, and fields in a []byte and
// in streams.
func Binary() contest.Group {
	g := contest.Group{
		Name: "binary",
		About: "Append and decode of fields work on a []byte, stream-write and stream-read on a writer and a reader with a buffer in between: " +
			"the sequences medium and long, of 33 and 139 bytes, which are those of howl.moe/binary's benchmarks. Encode and decode of 1,024 elements compare with copy, which only moves as many bytes.",
	}
	g.Rows = append(g.Rows, numberRows[uint16]("u16")...)
	g.Rows = append(g.Rows, numberRows[uint32]("u32")...)
	g.Rows = append(g.Rows, numberRows[uint64]("u64")...)
	g.Rows = append(g.Rows, fieldRows()...)
	return g
}

// opaque is an io.Writer of a type that package binary does not know. It
// accepts everything.
type opaque struct{}

func (*opaque) Write(p []byte) (int, error) { return len(p), nil }

// numberRows returns the rows about 1,024 elements.
func numberRows[T binary.Number](of string) []contest.Row {
	return append(numberRowsIn[binary.Little, T](of, "little", stdbinary.LittleEndian),
		numberRowsIn[binary.Big, T](of, "big", stdbinary.BigEndian)...)
}

// numberRowsIn returns those in the byte order O.
func numberRowsIn[O binary.Order, T binary.Number](of, name string, order stdbinary.ByteOrder) []contest.Row {
	const elements = 1024
	size := stdbinary.Size(*new(T)) * elements
	type memory struct {
		dst, src []byte
		v        []T
	}
	alloc := func() *memory {
		m := &memory{make([]byte, size), make([]byte, size), make([]T, elements)}
		for i := range m.src {
			m.src[i] = byte(i)
		}
		return m
	}
	return []contest.Row{{
		Name: fmt.Sprintf("op=encode/elements=%d/of=%s/order=%s", elements, of, name),
		Contestants: []contest.Contestant{
			contestant("octet.AppendNumbers", alloc, func(m *memory, n int) {
				for range n {
					m.dst = binary.AppendNumbers(binary.Appender[O](m.dst[:0]), m.v)
				}
			}),
			contestant("copy", alloc, func(m *memory, n int) {
				for range n {
					m.dst = append(m.dst[:0], m.src...)
				}
			}),
			contestant("encoding/binary.Append", alloc, func(m *memory, n int) {
				for range n {
					m.dst, _ = stdbinary.Append(m.dst[:0], order, m.v)
				}
			}),
		},
	}, {
		Name: fmt.Sprintf("op=decode/elements=%d/of=%s/order=%s", elements, of, name),
		Contestants: []contest.Contestant{
			contestant("octet.DecodeNumbers", alloc, func(m *memory, n int) {
				for range n {
					d := binary.NewDecoder[O](m.src)
					m.v = binary.DecodeNumbers(&d, m.v[:0], elements)
				}
			}),
			contestant("copy", alloc, func(m *memory, n int) {
				for range n {
					copy(m.dst, m.src)
				}
			}),
			contestant("encoding/binary.Decode", alloc, func(m *memory, n int) {
				for range n {
					stdbinary.Decode(m.src, order, m.v)
				}
			}),
		},
	}}
}
