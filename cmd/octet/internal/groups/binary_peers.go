package groups

import stdbinary "encoding/binary"

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
