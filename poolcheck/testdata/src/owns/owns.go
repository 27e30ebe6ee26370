// Package owns shows the annotation that tells of ownership which cannot be
// seen: of interfaces, function types and fields.
package owns

import (
	"github.com/octet-go/octet/bytespool"

	"owns/queue"
)

// bad: what Push took over is released here, too.
func pushedAndReleased(q queue.Queue, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	q.Push(msg)
	bytespool.Release(msg) // want "OCT003: .*msg.*"
}

// bad: Peek only borrows, so the memory is still ours.
func peeked(q queue.Queue, text string) bool {
	msg := append(bytespool.Make(len(text)), text...) // want "OCT004: .*msg.*"
	return q.Peek(msg)
}

// bad: a Handler borrows.
func handled(h queue.Handler, text string) {
	msg := append(bytespool.Make(len(text)), text...) // want "OCT004: .*msg.*"
	h(msg)
}
