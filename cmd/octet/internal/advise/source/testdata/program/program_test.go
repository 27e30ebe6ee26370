// Package program_test is of the same folder, and none of the program.
package program_test
