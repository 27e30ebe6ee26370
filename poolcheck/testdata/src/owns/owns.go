// Package owns shows the annotation that tells of ownership which cannot be
// seen: of interfaces, function types and fields.
package owns

import (
	"io"

	"github.com/octet-go/octet/bytespool"

	"owns/queue"
)

// ok: Push takes over.
func pushed(q queue.Queue, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	q.Push(msg)
}

// bad: what Push took over is released here, too.
func pushedAndReleased(q queue.Queue, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	q.Push(msg)
	bytespool.Release(msg) // want "OCT003: .*msg.*"
}

// bad: what Push took over may be gone when it is written.
func pushedAndUsed(q queue.Queue, w io.Writer, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	q.Push(msg)
	w.Write(msg) // want "OCT001: .*msg.*"
}

// bad: Peek only borrows, so the memory is still ours.
func peeked(q queue.Queue, text string) bool {
	msg := append(bytespool.Make(len(text)), text...) // want "OCT004: .*msg.*"
	return q.Peek(msg)
}

// ok: Peek only borrows, and the memory is released.
func peekedAndReleased(q queue.Queue, text string) bool {
	msg := append(bytespool.Make(len(text)), text...)
	defer bytespool.Release(msg)
	return q.Peek(msg)
}

// bad: what Pop returns is ours to release.
func popped(q queue.Queue, w io.Writer) error {
	msg := q.Pop() // want "OCT004: .*msg.*"
	_, err := w.Write(msg)
	return err
}

// ok: what Pop returns is released.
func poppedAndReleased(q queue.Queue, w io.Writer) error {
	msg := q.Pop()
	defer bytespool.Release(msg)
	_, err := w.Write(msg)
	return err
}

// bad: a Handler borrows.
func handled(h queue.Handler, text string) {
	msg := append(bytespool.Make(len(text)), text...) // want "OCT004: .*msg.*"
	h(msg)
}

// take hands its argument to code that the checker cannot see into.
//
//poolcheck:owns p
func take(f func([]byte), p []byte) { f(p) }

// bad: take owns what it was given.
func takenAndReleased(f func([]byte), text string) {
	msg := append(bytespool.Make(len(text)), text...)
	take(f, msg)
	bytespool.Release(msg) // want "OCT003: .*msg.*"
}

// slot owns what its field holds; who clears the slot releases it.
type slot struct {
	//poolcheck:owns
	data []byte
}

// ok: the field takes over.
func (s *slot) fill(text string) { s.data = append(bytespool.Make(len(text)), text...) }
