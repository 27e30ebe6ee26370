package binary

// Little and Big are byte orders as types. [Appender], [Decoder],
// [StreamEncoder] and [StreamDecoder] take one as their type argument, so that
// the order is known when a program is compiled and costs nothing when it runs.
// Their values carry nothing.
type (
	Little [0]struct{}
	Big    [1]struct{}
)

// An Order is a byte order as a type. A function that serves both orders is
// generic over it:
//
//	func parse[O binary.Order](d *binary.Decoder[O]) header
//
// The compiler tells the two apart by their length: len of a value of type O is a
// constant in each instance, and the branch that is not taken disappears. (Methods
// of a type argument would be called through a dictionary.)
type Order interface {
	Little | Big
}

func isBig[O Order]() bool {
	var o O
	return len(o) == len(Big{})
}
