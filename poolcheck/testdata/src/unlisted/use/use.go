package use

import "unlisted/wrap"

func forgets() {
	b := wrap.Take() // want "OCT004: b is not released on every path"
	b[0] = 1
}

func late() byte {
	b := wrap.Take()
	wrap.Give(b)
	return b[0] // want "OCT001: b is used after its release"
}
