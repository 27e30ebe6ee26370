package oct004

import "sync"

var textArrays = sync.Pool{New: func() any { return new([64]byte) }}

// bad: without a text, the array is lost where the two counts meet
func countText(text string, double bool) int {
	n := 1

	b := textArrays.Get().(*[64]byte) // want "OCT004: b is not released on every path .returns without a release at line 18."
	if text != "" {
		n = copy(b[:], text)
		textArrays.Put(b)
	}

	if double {
		return 2 * n
	}
	return n
}

// bad: the same in front of other code
func printText(text string) int {
	n := 1

	b := textArrays.Get().(*[64]byte) // want "OCT004: b is not released on every path .returns without a release at line 33."
	if text != "" {
		n = copy(b[:], text)
		textArrays.Put(b)
	}

	println(n)
	for n > 10 {
		n /= 10
	}
	return n
}
