// Package errors has the signatures of the one that adds stacks to errors.
package errors

import "fmt"

type message struct {
	msg   string
	cause error
}

func (m *message) Error() string { return m.msg }

func (m *message) Unwrap() error { return m.cause }

// New returns an error.
func New(msg string) error { return &message{msg: msg} }

// Errorf returns an error.
func Errorf(format string, args ...any) error { return &message{msg: fmt.Sprintf(format, args...)} }

// Wrap returns an error around err, nil if that is nil.
func Wrap(err error, msg string) error {
	if err == nil {
		return nil
	}
	return &message{msg, err}
}

// WithStack returns an error around err, nil if that is nil.
func WithStack(err error) error { return Wrap(err, "") }
