// Package oct001 holds uses of pooled memory after its release, and code that
// looks like one and is not.
package oct001

import (
	"io"
	"log"
	"net/http"

	"github.com/octet-go/octet/bytespool"
	"github.com/valyala/bytebufferpool"
)

// bad: the deferred log line was registered first, so it runs last, after the
// deferred release.
func deferredLogRunsLast(r io.Reader) error {
	line := bytespool.New(128)
	defer func() {
		log.Printf("line: %s", line) // want "OCT001: .*line.*"
	}()
	defer bytespool.Release(line)
	_, err := io.ReadFull(r, line)
	return err
}

// bad: bytebufferpool resets the buffer on Put, and hands it to the next.
func bytebufferpoolUseAfterPut(w http.ResponseWriter, name string) {
	page := bytebufferpool.Get()
	page.WriteString("hello, ")
	page.WriteString(name)
	bytebufferpool.Put(page)
	w.Write(page.B) // want "OCT001: .*page.*"
}
