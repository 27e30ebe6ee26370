package swap

import (
	"encoding/binary"
	"math/bits"
)

// The loops work on words of eight bytes, whatever the element. Reversing a word
// reverses each element in it, but also their order. For two elements, a rotation
// restores the order; for four, two masked shifts are shorter than that.
//
// An iteration converts four words; with one the loops took twice as long (amd64,
// Go 1.26). Slicing to a constant length once per iteration removes all other bounds
// checks.

const step = 32

var le = binary.LittleEndian

func loop(dst, src []byte, size int) {
	switch size {
	case 1:
		copy(dst, src)
	case 2:
		loop16(dst, src)
	case 4:
		loop32(dst, src)
	case 8:
		loop64(dst, src)
	}
}

func loop16(dst, src []byte) {
	for len(src) >= step && len(dst) >= step {
		s, d := src[:step], dst[:step]
		le.PutUint64(d[0:], pairs(le.Uint64(s[0:])))
		le.PutUint64(d[8:], pairs(le.Uint64(s[8:])))
		le.PutUint64(d[16:], pairs(le.Uint64(s[16:])))
		le.PutUint64(d[24:], pairs(le.Uint64(s[24:])))
		src, dst = src[step:], dst[step:]
	}
	for len(src) >= 2 && len(dst) >= 2 {
		le.PutUint16(dst, bits.ReverseBytes16(le.Uint16(src)))
		src, dst = src[2:], dst[2:]
	}
}

func loop32(dst, src []byte) {
	for len(src) >= step && len(dst) >= step {
		s, d := src[:step], dst[:step]
		le.PutUint64(d[0:], halves(le.Uint64(s[0:])))
		le.PutUint64(d[8:], halves(le.Uint64(s[8:])))
		le.PutUint64(d[16:], halves(le.Uint64(s[16:])))
		le.PutUint64(d[24:], halves(le.Uint64(s[24:])))
		src, dst = src[step:], dst[step:]
	}
	for len(src) >= 4 && len(dst) >= 4 {
		le.PutUint32(dst, bits.ReverseBytes32(le.Uint32(src)))
		src, dst = src[4:], dst[4:]
	}
}

func loop64(dst, src []byte) {
	for len(src) >= step && len(dst) >= step {
		s, d := src[:step], dst[:step]
		le.PutUint64(d[0:], bits.ReverseBytes64(le.Uint64(s[0:])))
		le.PutUint64(d[8:], bits.ReverseBytes64(le.Uint64(s[8:])))
		le.PutUint64(d[16:], bits.ReverseBytes64(le.Uint64(s[16:])))
		le.PutUint64(d[24:], bits.ReverseBytes64(le.Uint64(s[24:])))
		src, dst = src[step:], dst[step:]
	}
	for len(src) >= 8 && len(dst) >= 8 {
		le.PutUint64(dst, bits.ReverseBytes64(le.Uint64(src)))
		src, dst = src[8:], dst[8:]
	}
}

// pairs reverses each pair of bytes in a word.
func pairs(x uint64) uint64 {
	const low = 0x00ff00ff00ff00ff
	return x>>8&low | x&low<<8
}

// halves reverses the bytes of each half of a word.
func halves(x uint64) uint64 {
	return bits.RotateLeft64(bits.ReverseBytes64(x), 32)
}
