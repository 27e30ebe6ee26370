// Package codes has the codes of what a call has come to.
package codes

// A Code is one.
type Code uint32

const (
	OK              Code = 0
	InvalidArgument Code = 3
)
