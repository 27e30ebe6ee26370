// Package bug has the same code as the other version.
package bug

func one() int {
	return 1
}
