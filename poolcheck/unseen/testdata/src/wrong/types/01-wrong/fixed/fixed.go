// Package fixed has a right type.
package fixed

func one() int {
	return 1
}
