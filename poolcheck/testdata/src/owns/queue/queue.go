// Package queue declares interfaces whose ownership cannot be seen; the
// annotations tell it, also to other packages.
package queue

// Queue passes messages on.
type Queue interface {
	// Push takes p over: whoever pops it releases it.
	//
	//poolcheck:owns p
	Push(p []byte)

	// Peek only looks at p.
	//
	//poolcheck:borrows p
	Peek(p []byte) bool

	// Pop returns memory that the caller releases.
	//
	//poolcheck:owns return
	Pop() []byte
}

// Handler is called with memory that stays with its caller.
//
//poolcheck:borrows p
type Handler func(p []byte)
