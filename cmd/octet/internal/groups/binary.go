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
	g.Rows = append(g.Rows, bulkRows[uint16]("u16")...)
	g.Rows = append(g.Rows, bulkRows[uint32]("u32")...)
	g.Rows = append(g.Rows, bulkRows[uint64]("u64")...)
	g.Rows = append(g.Rows, binaryAppendRows()...)
	return g
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
			Name: fmt.Sprintf("op=encode/elements=%d/of=%s/order=%s", elements, name, order.name),
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
			Name: fmt.Sprintf("op=decode/elements=%d/of=%s/order=%s", elements, name, order.name),
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
