// Package races has tests that fail by themselves, while a goroutine uses what was put.
package races

import (
	"sync"
	"testing"
)

type message struct{ data []byte }

var messages = sync.Pool{New: func() any { return &message{data: make([]byte, 0, 64)} }}

// send hands a message to a writer, and puts it back before the writer is done with it.
func send(write func(*message), text string) (done chan bool) {
	m := messages.Get().(*message)
	m.data = append(m.data[:0], text...)
	taken := make(chan bool)
	done = make(chan bool)
	go func() {
		close(taken)
		write(m)
		close(done)
	}()
	<-taken
	messages.Put(m)
	return done
}

func TestFails(t *testing.T) {
	n := 0
	<-send(func(m *message) { n = len(m.data) }, "to a writer")
	t.Errorf("a message of %d bytes", n)
}

func TestPasses(t *testing.T) {
	for range 3 {
		<-send(func(m *message) { m.data[0]++ }, "to one that writes")
	}
}
