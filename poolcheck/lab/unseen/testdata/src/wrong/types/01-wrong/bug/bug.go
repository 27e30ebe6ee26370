// Package bug has a wrong type.
package bug

func one() int {
	return "1"
}
