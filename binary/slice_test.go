package binary

import (
	"encoding/binary"
	"fmt"
	"testing"
)

func BenchmarkSlices(b *testing.B) {
	benchmarkSlice[uint16](b)
	benchmarkSlice[uint32](b)
	benchmarkSlice[uint64](b)
	benchmarkSlice[float32](b)
	benchmarkSlice[float64](b)
}

func benchmarkSlice[T Number](b *testing.B) {
	v := make([]T, 1024)
	n := len(v) * sizeOf[T]()
	buf, src := make([]byte, 0, n), make([]byte, n)
	name := func(op, of string) string { return fmt.Sprintf("of=%T/op=%s/by=%s", v, op, of) }
	b.Run(name("append", "copy"), func(b *testing.B) {
		for b.Loop() {
			buf = append(buf[:0], src...)
		}
	})
	b.Run(name("append", "little"), func(b *testing.B) {
		for b.Loop() {
			buf = AppendSlice(buf[:0], LittleEndian, v)
		}
	})
	b.Run(name("append", "big"), func(b *testing.B) {
		for b.Loop() {
			buf = AppendSlice(buf[:0], BigEndian, v)
		}
	})
	b.Run(name("decode", "little"), func(b *testing.B) {
		for b.Loop() {
			DecodeSlice(src, LittleEndian, v)
		}
	})
	b.Run(name("decode", "big"), func(b *testing.B) {
		for b.Loop() {
			DecodeSlice(src, BigEndian, v)
		}
	})
	b.Run(name("append", "std"), func(b *testing.B) {
		for b.Loop() {
			buf, _ = binary.Append(buf[:0], LittleEndian, v)
		}
	})
}
