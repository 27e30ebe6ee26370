package binary

// Little and Big are byte orders as types. [Appender], [Decoder], [StreamEncoder] and
// [StreamDecoder] take one as their type argument, so the compiler knows the byte
// order and it costs nothing at run time. Values of these types are of no use.
type (
	Little [0]struct{}
	Big    [1]struct{}
)

// An Order is a byte order as a type. Functions that work in both orders are generic
// over it:
//
//	func parse[O binary.Order](d *binary.Decoder[O]) header
//
// For single fields in another order, convert: the types of both orders have the same
// memory, so the result is the same slice, decoder or encoder.
//
//	buf = binary.LE(buf).Uint16(x)
//	x := (*binary.LEDecoder)(&d).Uint16()
//	x := (*binary.StreamDecoder[binary.Little])(s).Uint16()
type Order interface {
	Little | Big
}

// isBig reports whether O is Big. The two types differ in their length, which is a
// constant in each instance of a generic function, so the compiler drops the branch
// that is not taken. Methods of a type argument would be called through a dictionary.
func isBig[O Order]() bool {
	var o O
	return len(o) == len(Big{})
}

// isNative reports whether O is native, a constant as isBig is.
func isNative[O Order]() bool { return isBig[O]() == isBig[native]() }
