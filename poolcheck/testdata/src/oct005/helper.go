package oct005

import (
	"sync"

	"github.com/octet-go/octet/bytespool"
)

func pass(out chan<- []byte, b []byte) { out <- b }

// bad: a helper sends it.
func sentByHelper(out chan<- []byte) {
	b := bytespool.New(64)
	pass(out, b)
	bytespool.Release(b) // want "OCT005: b .*"
}

func passOn(out chan<- []byte, b []byte) { pass(out, b[:8]) }

// bad: a helper of a helper sends a part.
func sentByHelpers(out chan<- []byte) {
	b := bytespool.New(64)
	defer bytespool.Release(b) // want "OCT005: b .*"
	passOn(out, b)
}

func start(b []byte) {
	go show(b)
}

// bad: a helper starts the goroutine.
func startedByHelper() {
	b := bytespool.New(64)
	start(b)
	bytespool.Release(b) // want "OCT005: b .*"
}

type hub struct {
	jobs chan []byte
	done chan bool
	wg   sync.WaitGroup
}

func (h *hub) ask(b []byte) {
	h.jobs <- b
	<-h.done
}

// ok: the helper waits for the answer.
func asked(h *hub) {
	b := bytespool.New(64)
	h.ask(b)
	bytespool.Release(b)
}
