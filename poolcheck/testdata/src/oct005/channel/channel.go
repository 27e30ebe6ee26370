// Package channel keeps idle memory in a channel, and nothing in a sync.Pool.
package channel

import "os"

var idle = make(chan []byte, 32)

// getBytes returns an empty slice, which has an array if one is idle.
func getBytes() []byte {
	select {
	case b := <-idle:
		return b[:0]
	default:
		return nil
	}
}

func putBytes(b []byte) {
	select {
	case idle <- b:
	default:
	}
}

// bad: the goroutine may still write b.
func writeBeside(f *os.File, s string) {
	b := append(getBytes(), s...)
	defer putBytes(b) // want "OCT005: .* is released while another goroutine may still use it"
	go f.Write(b)
}

// bad: an error loses the slice.
func write(f *os.File, s string) error {
	b := append(getBytes(), s...) // want "OCT004: .* is not released on every path"
	if _, err := f.Write(b); err != nil {
		return err
	}
	putBytes(b)
	return nil
}

var waiting = make(chan []byte, 32)

// ok: a queue of messages hands out what they say.
func nextMessage() []byte {
	select {
	case b := <-waiting:
		return b
	default:
		return nil
	}
}

func returnMessage(b []byte) {
	select {
	case waiting <- b:
	default:
	}
}

func print(f *os.File) error {
	b := nextMessage()
	if _, err := f.Write(b); err != nil {
		return err
	}
	returnMessage(b)
	return nil
}
