// Package fixed has the same code as the other version.
package fixed

func one() int {
	return 1
}
