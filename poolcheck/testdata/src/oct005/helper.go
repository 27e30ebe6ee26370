package oct005

import (
	"errors"
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

func (h *hub) push(b []byte) { h.jobs <- b }

// bad: a method.
func sentByMethod(h *hub) {
	b := bytespool.New(64)
	h.push(b)
	bytespool.Release(b) // want "OCT005: b .*"
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

func (h *hub) wait() { <-h.done }

// ok: the caller waits by another helper.
func askedAndWaited(h *hub) {
	b := bytespool.New(64)
	h.push(b)
	h.wait()
	bytespool.Release(b)
}

// ok: the caller waits for all.
func waitedForGroup(h *hub) {
	b := bytespool.New(64)
	defer bytespool.Release(b)
	h.wg.Add(1)
	h.push(b)
	h.wg.Wait()
}

func (h *hub) offer(b []byte) bool {
	select {
	case h.jobs <- b:
		return true
	default:
		return false
	}
}

// ok: the helper says whether it has sent it.
func offered(h *hub) {
	b := bytespool.New(64)
	if !h.offer(b) {
		bytespool.Release(b)
	}
}

func (h *hub) try(b []byte) error {
	select {
	case h.jobs <- b:
		return nil
	case <-h.done:
		return errors.New("closed")
	}
}

// ok: by an error.
func tried(h *hub) error {
	b := bytespool.New(64)
	err := h.try(b)
	if err != nil {
		bytespool.Release(b)
	}
	return err
}

type ticket struct{ sent bool }

func (h *hub) sendOnce(b []byte, t *ticket) {
	if len(b) > 8 {
		h.jobs <- b
		t.sent = true
	}
}

// ok: by a field.
func unlessTicked(h *hub) {
	b, t := bytespool.New(64), new(ticket)
	h.sendOnce(b, t)
	if !t.sent {
		bytespool.Release(b)
	}
}

func (h *hub) copied(b []byte) { h.jobs <- append([]byte(nil), b...) }

// ok: the helper sends a copy.
func sentCopy(h *hub) {
	b := bytespool.New(64)
	h.copied(b)
	bytespool.Release(b)
}

type pair struct{ a, b []byte }

func (h *hub) first(p pair) { h.jobs <- p.a }

// ok: it sends something else of the same struct.
func sentOther(h *hub, a []byte) {
	b := bytespool.New(64)
	h.first(pair{a, b})
	bytespool.Release(b)
}

func broadcast(all []chan []byte, b []byte) {
	for _, out := range all {
		out <- b
	}
}

// ok: to none, perhaps, and the answers are awaited.
func sentToAll(all []chan []byte, done <-chan bool) {
	b := bytespool.New(64)
	broadcast(all, b)
	for range all {
		<-done
	}
	bytespool.Release(b)
}

func (h *hub) within(b []byte) {
	h.wg.Go(func() { show(b) })
	h.wg.Wait()
}

// ok: the helper waits for the goroutine that it starts.
func shownWithin(h *hub) {
	b := bytespool.New(64)
	h.within(b)
	bytespool.Release(b)
}

// ok: it is the goroutine's, and another is released.
func sentThenAnother(h *hub) {
	b := bytespool.New(64)
	h.push(b)
	b = bytespool.New(64)
	bytespool.Release(b)
}
