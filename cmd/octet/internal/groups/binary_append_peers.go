package groups

import (
	stdbinary "encoding/binary"
	"math/bits"

	"golang.org/x/crypto/cryptobyte"
)

// With encoding/binary, field by field.

// stdAppend appends a value of a fixed size, which cannot fail.
func stdAppend(dst []byte, v any) []byte {
	dst, err := stdbinary.Append(dst, stdbinary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return dst
}

//go:noinline
func stdAppendSmall(dst []byte, r *record) []byte { return stdAppend(dst, &r.b1) }

//go:noinline
func stdAppendMedium(dst []byte, r *record) []byte {
	dst = stdAppend(dst, &r.i8)
	for i := range r.u {
		dst = stdAppend(dst, &r.u[i])
	}
	return dst
}

//go:noinline
func stdAppendLong(dst []byte, r *record) []byte {
	dst = append(dst, r.s1[:]...)
	dst = stdAppendMedium(dst, r)
	dst = stdAppend(dst, &r.i32)
	dst = append(dst, r.s2[:]...)
	for i := range r.i {
		dst = stdAppend(dst, &r.i[i])
	}
	return dst
}

//go:noinline
func stdDecodeSmall(r *record, src []byte) error {
	_, err := stdbinary.Decode(src, stdbinary.LittleEndian, &r.b1)
	return err
}

//go:noinline
func stdDecodeMedium(r *record, src []byte) error {
	n, err := stdbinary.Decode(src, stdbinary.LittleEndian, &r.i8)
	if err != nil {
		return err
	}
	src = src[n:]
	for i := range r.u {
		n, err := stdbinary.Decode(src, stdbinary.LittleEndian, &r.u[i])
		if err != nil {
			return err
		}
		src = src[n:]
	}
	return nil
}

//go:noinline
func stdDecodeLong(r *record, src []byte) error {
	if len(src) < 139 {
		return errShort
	}
	src = src[copy(r.s1[:], src):]
	if err := stdDecodeMedium(r, src); err != nil {
		return err
	}
	src = src[33:]
	n, err := stdbinary.Decode(src, stdbinary.LittleEndian, &r.i32)
	if err != nil {
		return err
	}
	src = src[n:]
	src = src[copy(r.s2[:], src):]
	for i := range r.i {
		n, err := stdbinary.Decode(src, stdbinary.LittleEndian, &r.i[i])
		if err != nil {
			return err
		}
		src = src[n:]
	}
	return nil
}

// With cryptobyte, which supports big-endian only: numbers are reversed before,
// so that all contestants write the same bytes.

//go:noinline
func cryptoAppendSmall(dst []byte, r *record) []byte {
	b := cryptobyte.NewBuilder(dst)
	b.AddUint8(r.b1)
	return b.BytesOrPanic()
}

//go:noinline
func cryptoAppendMedium(dst []byte, r *record) []byte {
	b := cryptobyte.NewBuilder(dst)
	cryptoMedium(b, r)
	return b.BytesOrPanic()
}

func cryptoMedium(b *cryptobyte.Builder, r *record) {
	b.AddUint8(uint8(r.i8))
	for _, u := range r.u {
		b.AddUint64(bits.ReverseBytes64(u))
	}
}

//go:noinline
func cryptoAppendLong(dst []byte, r *record) []byte {
	b := cryptobyte.NewBuilder(dst)
	b.AddBytes(r.s1[:])
	cryptoMedium(b, r)
	b.AddUint32(bits.ReverseBytes32(uint32(r.i32)))
	b.AddBytes(r.s2[:])
	for _, i := range r.i {
		b.AddUint64(bits.ReverseBytes64(uint64(i)))
	}
	return b.BytesOrPanic()
}

//go:noinline
func cryptoDecodeSmall(r *record, src []byte) error {
	s := cryptobyte.String(src)
	if !s.ReadUint8(&r.b1) {
		return errShort
	}
	return nil
}

//go:noinline
func cryptoDecodeMedium(r *record, src []byte) error {
	s := cryptobyte.String(src)
	if !cryptoReadMedium(r, &s) {
		return errShort
	}
	return nil
}

func cryptoReadMedium(r *record, s *cryptobyte.String) bool {
	var i8 uint8
	if !s.ReadUint8(&i8) {
		return false
	}
	r.i8 = int8(i8)
	for i := range r.u {
		if !s.ReadUint64(&r.u[i]) {
			return false
		}
		r.u[i] = bits.ReverseBytes64(r.u[i])
	}
	return true
}

//go:noinline
func cryptoDecodeLong(r *record, src []byte) error {
	s := cryptobyte.String(src)
	var i32 uint32
	if !s.CopyBytes(r.s1[:]) || !cryptoReadMedium(r, &s) || !s.ReadUint32(&i32) || !s.CopyBytes(r.s2[:]) {
		return errShort
	}
	r.i32 = int32(bits.ReverseBytes32(i32))
	for i := range r.i {
		var u uint64
		if !s.ReadUint64(&u) {
			return errShort
		}
		r.i[i] = int64(bits.ReverseBytes64(u))
	}
	return nil
}
