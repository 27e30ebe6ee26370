//go:build octet_purego

package binary

import (
	"encoding/binary"
	"math"
	"reflect"
)

// sizeOf is the number of bytes of an element.
func sizeOf[T Number]() int { return int(reflect.TypeFor[T]().Size()) }

// unitOf is the number of bytes that are ordered as one number: the size of an
// element, or half of it for complex numbers.
func unitOf[T Number]() int {
	switch t := reflect.TypeFor[T](); t.Kind() {
	case reflect.Complex64, reflect.Complex128:
		return int(t.Size()) / 2
	default:
		return int(t.Size())
	}
}

// view cannot return the memory of v as bytes without unsafe; see bulk_memory.go.
func view[T Number](v []T) ([]byte, bool) { return nil, false }

// storeSlice writes v to dst, which is exactly as long.
func storeSlice[T Number](dst []byte, order ByteOrder, v []T) {
	if big := is(order, binary.BigEndian); big || is(order, binary.LittleEndian) {
		store(dst, big, v)
	} else {
		storeRare(dst, order, v)
	}
}

// loadSlice sets v from src, which is exactly as long.
func loadSlice[T Number](v []T, order ByteOrder, src []byte) {
	if big := is(order, binary.BigEndian); big || is(order, binary.LittleEndian) {
		load(v, big, src)
	} else {
		loadRare(v, order, src)
	}
}

// store writes v to dst, which is exactly as long, in big- or little-endian order.
//
// The predeclared integer and float types have loops. Other types are converted by
// reflection, one element at a time.
func store[T Number](dst []byte, big bool, v []T) {
	switch w := any(v).(type) {
	case []int8:
		for i, x := range w {
			dst[i] = byte(x)
		}
	case []uint8:
		copy(dst, w)
	case []int16:
		store16(dst, big, w)
	case []uint16:
		store16(dst, big, w)
	case []int32:
		store32(dst, big, w)
	case []uint32:
		store32(dst, big, w)
	case []int64:
		store64(dst, big, w)
	case []uint64:
		store64(dst, big, w)
	case []float32:
		storeFloat32(dst, big, w)
	case []float64:
		storeFloat64(dst, big, w)
	default:
		storeValues(dst, big, reflect.ValueOf(v))
	}
}

// load sets v from src, which is exactly as long; see store.
func load[T Number](v []T, big bool, src []byte) {
	switch w := any(v).(type) {
	case []int8:
		for i := range w {
			w[i] = int8(src[i])
		}
	case []uint8:
		copy(w, src)
	case []int16:
		load16(w, big, src)
	case []uint16:
		load16(w, big, src)
	case []int32:
		load32(w, big, src)
	case []uint32:
		load32(w, big, src)
	case []int64:
		load64(w, big, src)
	case []uint64:
		load64(w, big, src)
	case []float32:
		loadFloat32(w, big, src)
	case []float64:
		loadFloat64(w, big, src)
	default:
		loadValues(reflect.ValueOf(v), big, src)
	}
}

// storeValues is store for a slice of any type.
func storeValues(dst []byte, big bool, v reflect.Value) {
	size := int(v.Type().Elem().Size())
	for i := range v.Len() {
		storeValue(dst[i*size:(i+1)*size], big, v.Index(i))
	}
}

// loadValues is load for a slice of any type.
func loadValues(v reflect.Value, big bool, src []byte) {
	size := int(v.Type().Elem().Size())
	for i := range v.Len() {
		loadValue(v.Index(i), big, src[i*size:(i+1)*size])
	}
}

// storeValue stores one element of any type.
func storeValue(dst []byte, big bool, v reflect.Value) {
	half := len(dst) / 2
	switch v.Kind() {
	case reflect.Float32:
		putUint(dst, big, uint64(math.Float32bits(*as[float32](v))))
	case reflect.Float64:
		putUint(dst, big, math.Float64bits(v.Float()))
	case reflect.Complex64:
		c := *as[complex64](v)
		putUint(dst[:half], big, uint64(math.Float32bits(real(c))))
		putUint(dst[half:], big, uint64(math.Float32bits(imag(c))))
	case reflect.Complex128:
		c := v.Complex()
		putUint(dst[:half], big, math.Float64bits(real(c)))
		putUint(dst[half:], big, math.Float64bits(imag(c)))
	default:
		if v.CanInt() {
			putUint(dst, big, uint64(v.Int()))
		} else {
			putUint(dst, big, v.Uint())
		}
	}
}

// loadValue sets one element of any type.
func loadValue(v reflect.Value, big bool, src []byte) {
	half := len(src) / 2
	switch v.Kind() {
	case reflect.Float32:
		*as[float32](v) = math.Float32frombits(uint32(getUint(src, big)))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(getUint(src, big)))
	case reflect.Complex64:
		*as[complex64](v) = complex(
			math.Float32frombits(uint32(getUint(src[:half], big))),
			math.Float32frombits(uint32(getUint(src[half:], big))))
	case reflect.Complex128:
		v.SetComplex(complex(
			math.Float64frombits(getUint(src[:half], big)),
			math.Float64frombits(getUint(src[half:], big))))
	default:
		if v.CanInt() {
			above := 64 - 8*len(src)
			v.SetInt(int64(getUint(src, big)<<above) >> above)
		} else {
			v.SetUint(getUint(src, big))
		}
	}
}

// as returns a pointer to the variable behind v, whose underlying type is T. It serves
// 32-bit floats: reflection returns them as float64, and that conversion changes the
// bits of some NaNs.
func as[T any](v reflect.Value) *T {
	return v.Addr().Convert(reflect.TypeFor[*T]()).Interface().(*T)
}

func putUint(dst []byte, big bool, x uint64) {
	for i := range dst {
		at := i
		if big {
			at = len(dst) - 1 - i
		}
		dst[at] = byte(x >> (8 * i))
	}
}

func getUint(src []byte, big bool) (x uint64) {
	for i := range src {
		at := i
		if big {
			at = len(src) - 1 - i
		}
		x |= uint64(src[at]) << (8 * i)
	}
	return x
}
