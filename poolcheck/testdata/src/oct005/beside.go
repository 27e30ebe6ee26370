package oct005

import (
	"io"

	"github.com/octet-go/octet/bytespool"
)

// bad: the method runs in a goroutine.
func writeBeside(w io.Writer) {
	p := bytespool.Get(64)
	clear(p)
	go w.Write(p)
	bytespool.Release(p) // want "OCT005: p is released while.*"
}

// ok: the goroutine is waited for.
func writeBesideWaits(w io.Writer) {
	p := bytespool.Get(64)
	clear(p)
	done := make(chan bool)
	go func() {
		w.Write(p)
		close(done)
	}()
	<-done
	bytespool.Release(p)
}
