//go:build octet_purego

package binary

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The loops of bulk_memory_purego.go, for each kind and width. They convert eight
// elements per iteration; with one they took three times as long (amd64, Go 1.26).
// Slicing to a constant length once per iteration removes all other bounds checks.

func store16[T int16 | uint16](dst []byte, big bool, v []T) {
	for len(v) >= 8 && len(dst) >= 16 {
		d, s := dst[:16], v[:8]
		put16(d[0:], big, uint16(s[0]))
		put16(d[2:], big, uint16(s[1]))
		put16(d[4:], big, uint16(s[2]))
		put16(d[6:], big, uint16(s[3]))
		put16(d[8:], big, uint16(s[4]))
		put16(d[10:], big, uint16(s[5]))
		put16(d[12:], big, uint16(s[6]))
		put16(d[14:], big, uint16(s[7]))
		dst, v = dst[16:], v[8:]
	}
	for i, x := range v {
		put16(dst[2*i:], big, uint16(x))
	}
}

func load16[T int16 | uint16](v []T, big bool, src []byte) {
	for len(v) >= 8 && len(src) >= 16 {
		s, d := src[:16], v[:8]
		d[0] = T(get16(s[0:], big))
		d[1] = T(get16(s[2:], big))
		d[2] = T(get16(s[4:], big))
		d[3] = T(get16(s[6:], big))
		d[4] = T(get16(s[8:], big))
		d[5] = T(get16(s[10:], big))
		d[6] = T(get16(s[12:], big))
		d[7] = T(get16(s[14:], big))
		src, v = src[16:], v[8:]
	}
	for i := range v {
		v[i] = T(get16(src[2*i:], big))
	}
}

func store32[T int32 | uint32](dst []byte, big bool, v []T) {
	for len(v) >= 8 && len(dst) >= 32 {
		d, s := dst[:32], v[:8]
		put32(d[0:], big, uint32(s[0]))
		put32(d[4:], big, uint32(s[1]))
		put32(d[8:], big, uint32(s[2]))
		put32(d[12:], big, uint32(s[3]))
		put32(d[16:], big, uint32(s[4]))
		put32(d[20:], big, uint32(s[5]))
		put32(d[24:], big, uint32(s[6]))
		put32(d[28:], big, uint32(s[7]))
		dst, v = dst[32:], v[8:]
	}
	for i, x := range v {
		put32(dst[4*i:], big, uint32(x))
	}
}

func load32[T int32 | uint32](v []T, big bool, src []byte) {
	for len(v) >= 8 && len(src) >= 32 {
		s, d := src[:32], v[:8]
		d[0] = T(get32(s[0:], big))
		d[1] = T(get32(s[4:], big))
		d[2] = T(get32(s[8:], big))
		d[3] = T(get32(s[12:], big))
		d[4] = T(get32(s[16:], big))
		d[5] = T(get32(s[20:], big))
		d[6] = T(get32(s[24:], big))
		d[7] = T(get32(s[28:], big))
		src, v = src[32:], v[8:]
	}
	for i := range v {
		v[i] = T(get32(src[4*i:], big))
	}
}

func store64[T int64 | uint64](dst []byte, big bool, v []T) {
	for len(v) >= 8 && len(dst) >= 64 {
		d, s := dst[:64], v[:8]
		put64(d[0:], big, uint64(s[0]))
		put64(d[8:], big, uint64(s[1]))
		put64(d[16:], big, uint64(s[2]))
		put64(d[24:], big, uint64(s[3]))
		put64(d[32:], big, uint64(s[4]))
		put64(d[40:], big, uint64(s[5]))
		put64(d[48:], big, uint64(s[6]))
		put64(d[56:], big, uint64(s[7]))
		dst, v = dst[64:], v[8:]
	}
	for i, x := range v {
		put64(dst[8*i:], big, uint64(x))
	}
}

func load64[T int64 | uint64](v []T, big bool, src []byte) {
	for len(v) >= 8 && len(src) >= 64 {
		s, d := src[:64], v[:8]
		d[0] = T(get64(s[0:], big))
		d[1] = T(get64(s[8:], big))
		d[2] = T(get64(s[16:], big))
		d[3] = T(get64(s[24:], big))
		d[4] = T(get64(s[32:], big))
		d[5] = T(get64(s[40:], big))
		d[6] = T(get64(s[48:], big))
		d[7] = T(get64(s[56:], big))
		src, v = src[64:], v[8:]
	}
	for i := range v {
		v[i] = T(get64(src[8*i:], big))
	}
}

func storeFloat32(dst []byte, big bool, v []float32) {
	for len(v) >= 8 && len(dst) >= 32 {
		d, s := dst[:32], v[:8]
		put32(d[0:], big, math.Float32bits(s[0]))
		put32(d[4:], big, math.Float32bits(s[1]))
		put32(d[8:], big, math.Float32bits(s[2]))
		put32(d[12:], big, math.Float32bits(s[3]))
		put32(d[16:], big, math.Float32bits(s[4]))
		put32(d[20:], big, math.Float32bits(s[5]))
		put32(d[24:], big, math.Float32bits(s[6]))
		put32(d[28:], big, math.Float32bits(s[7]))
		dst, v = dst[32:], v[8:]
	}
	for i, x := range v {
		put32(dst[4*i:], big, math.Float32bits(x))
	}
}

func loadFloat32(v []float32, big bool, src []byte) {
	for len(v) >= 8 && len(src) >= 32 {
		s, d := src[:32], v[:8]
		d[0] = math.Float32frombits(get32(s[0:], big))
		d[1] = math.Float32frombits(get32(s[4:], big))
		d[2] = math.Float32frombits(get32(s[8:], big))
		d[3] = math.Float32frombits(get32(s[12:], big))
		d[4] = math.Float32frombits(get32(s[16:], big))
		d[5] = math.Float32frombits(get32(s[20:], big))
		d[6] = math.Float32frombits(get32(s[24:], big))
		d[7] = math.Float32frombits(get32(s[28:], big))
		src, v = src[32:], v[8:]
	}
	for i := range v {
		v[i] = math.Float32frombits(get32(src[4*i:], big))
	}
}

func storeFloat64(dst []byte, big bool, v []float64) {
	for len(v) >= 8 && len(dst) >= 64 {
		d, s := dst[:64], v[:8]
		put64(d[0:], big, math.Float64bits(s[0]))
		put64(d[8:], big, math.Float64bits(s[1]))
		put64(d[16:], big, math.Float64bits(s[2]))
		put64(d[24:], big, math.Float64bits(s[3]))
		put64(d[32:], big, math.Float64bits(s[4]))
		put64(d[40:], big, math.Float64bits(s[5]))
		put64(d[48:], big, math.Float64bits(s[6]))
		put64(d[56:], big, math.Float64bits(s[7]))
		dst, v = dst[64:], v[8:]
	}
	for i, x := range v {
		put64(dst[8*i:], big, math.Float64bits(x))
	}
}

func loadFloat64(v []float64, big bool, src []byte) {
	for len(v) >= 8 && len(src) >= 64 {
		s, d := src[:64], v[:8]
		d[0] = math.Float64frombits(get64(s[0:], big))
		d[1] = math.Float64frombits(get64(s[8:], big))
		d[2] = math.Float64frombits(get64(s[16:], big))
		d[3] = math.Float64frombits(get64(s[24:], big))
		d[4] = math.Float64frombits(get64(s[32:], big))
		d[5] = math.Float64frombits(get64(s[40:], big))
		d[6] = math.Float64frombits(get64(s[48:], big))
		d[7] = math.Float64frombits(get64(s[56:], big))
		src, v = src[64:], v[8:]
	}
	for i := range v {
		v[i] = math.Float64frombits(get64(src[8*i:], big))
	}
}

func put16(b []byte, big bool, x uint16) {
	if big {
		x = bits.ReverseBytes16(x)
	}
	binary.LittleEndian.PutUint16(b, x)
}

func put32(b []byte, big bool, x uint32) {
	if big {
		x = bits.ReverseBytes32(x)
	}
	binary.LittleEndian.PutUint32(b, x)
}

func put64(b []byte, big bool, x uint64) {
	if big {
		x = bits.ReverseBytes64(x)
	}
	binary.LittleEndian.PutUint64(b, x)
}

func get16(b []byte, big bool) uint16 {
	x := binary.LittleEndian.Uint16(b)
	if big {
		x = bits.ReverseBytes16(x)
	}
	return x
}

func get32(b []byte, big bool) uint32 {
	x := binary.LittleEndian.Uint32(b)
	if big {
		x = bits.ReverseBytes32(x)
	}
	return x
}

func get64(b []byte, big bool) uint64 {
	x := binary.LittleEndian.Uint64(b)
	if big {
		x = bits.ReverseBytes64(x)
	}
	return x
}
