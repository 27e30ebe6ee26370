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
	return contest.Group{
		Name: "binary",
		About: "Append and decode of fields work on a []byte, stream-write and stream-read on a writer and a reader with a buffer in between: " +
			"the sequences medium and long, of 33 and 139 bytes, which are those of howl.moe/binary's benchmarks. Encode and decode of 1,024 numbers compare with copy, which only moves as many bytes.",
		Rows: append(numberRows(), fieldRows()...),
	}
}

// numberRows returns the rows about slices of numbers.
func numberRows() []contest.Row {
	const elements = 1024
	type memory struct {
		dst, src []byte
		v        []uint32
	}
	alloc := func() *memory {
		m := &memory{make([]byte, 4*elements), make([]byte, 4*elements), make([]uint32, elements)}
		for i := range m.src {
			m.src[i] = byte(i)
		}
		return m
	}
	return []contest.Row{{
		Name: fmt.Sprintf("op=encode/elements=%d/of=u32/order=big", elements),
		Contestants: []contest.Contestant{
			contestant("octet.AppendNumbers", alloc, func(m *memory, n int) {
				for range n {
					m.dst = binary.AppendNumbers(binary.BE(m.dst[:0]), m.v)
				}
			}),
			contestant("copy", alloc, func(m *memory, n int) {
				for range n {
					m.dst = append(m.dst[:0], m.src...)
				}
			}),
			contestant("encoding/binary.Append", alloc, func(m *memory, n int) {
				for range n {
					m.dst, _ = stdbinary.Append(m.dst[:0], stdbinary.BigEndian, m.v)
				}
			}),
		},
	}, {
		Name: fmt.Sprintf("op=decode/elements=%d/of=u32/order=big", elements),
		Contestants: []contest.Contestant{
			contestant("octet.DecodeNumbers", alloc, func(m *memory, n int) {
				for range n {
					d := binary.DecodeBE(m.src)
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
					stdbinary.Decode(m.src, stdbinary.BigEndian, m.v)
				}
			}),
		},
	}}
}
