//go:build octet_purego

package binary

import (
	"encoding/binary"
	"reflect"
)

// sizeOf is the number of bytes of an element.
func sizeOf[T Number]() int { return int(reflect.TypeFor[T]().Size()) }

// view cannot return the memory of v as bytes without unsafe; see numbers_memory.go.
func view[T Number](v []T) ([]byte, bool) { return nil, false }

// orderOf returns O as a value.
func orderOf[O Order]() binary.ByteOrder {
	if isBig[O]() {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// storeSlice writes v to dst, which is exactly as long. Encoding/binary allocates an
// interface for each call.
func storeSlice[O Order, T Number](dst []byte, v []T) {
	var err error
	if has32BitFloats[T]() {
		p := make([]float32, len(dst)/4)
		exchange(v, p, false)
		_, err = binary.Encode(dst, orderOf[O](), p)
	} else {
		_, err = binary.Encode(dst, orderOf[O](), v)
	}
	if err != nil {
		panic(err)
	}
}

// loadSlice sets v from src, which is exactly as long.
func loadSlice[O Order, T Number](v []T, src []byte) {
	var err error
	if has32BitFloats[T]() {
		p := make([]float32, len(src)/4)
		_, err = binary.Decode(src, orderOf[O](), p)
		exchange(v, p, true)
	} else {
		_, err = binary.Decode(src, orderOf[O](), v)
	}
	if err != nil {
		panic(err)
	}
}

// has32BitFloats reports whether elements consist of 32-bit floats. Those of types other
// than float32, encoding/binary converts through float64, which changes the bits of some
// NaNs.
func has32BitFloats[T Number]() bool {
	kind := reflect.TypeFor[T]().Kind()
	return kind == reflect.Float32 || kind == reflect.Complex64
}

// exchange copies the 32-bit floats of v to p, or back.
func exchange[T Number](v []T, p []float32, back bool) {
	complexes := reflect.TypeFor[T]().Kind() == reflect.Complex64
	for i := range v {
		switch {
		case complexes && back:
			*as[complex64](&v[i]) = complex(p[2*i], p[2*i+1])
		case complexes:
			c := *as[complex64](&v[i])
			p[2*i], p[2*i+1] = real(c), imag(c)
		case back:
			*as[float32](&v[i]) = p[i]
		default:
			p[i] = *as[float32](&v[i])
		}
	}
}

// as returns p as a pointer to the underlying type U of its variable.
func as[U, T Number](p *T) *U {
	return reflect.ValueOf(p).Convert(reflect.TypeFor[*U]()).Interface().(*U)
}
