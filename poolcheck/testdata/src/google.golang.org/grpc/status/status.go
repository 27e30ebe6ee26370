// Package status makes errors of codes.
package status

import (
	"fmt"

	"google.golang.org/grpc/codes"
)

type failure struct {
	code codes.Code
	msg  string
}

func (f *failure) Error() string { return f.msg }

// Error returns an error, nil if c is OK.
func Error(c codes.Code, msg string) error {
	if c == codes.OK {
		return nil
	}
	return &failure{c, msg}
}

// Errorf is Error with a format.
func Errorf(c codes.Code, format string, args ...any) error {
	return Error(c, fmt.Sprintf(format, args...))
}
