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

// bad: the branch of the error releases, forgets to return, and falls through.
func errorFallsThrough(w http.ResponseWriter, r *http.Request) {
	body := bytespool.New(1024)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		bytespool.Release(body)
		http.Error(w, "short body", http.StatusBadRequest)
	}
	w.Write(body) // want "OCT001: .*body.*"
	bytespool.Release(body)
}

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

// ok: everything that needs the memory is inside of the literal.
func innerDeferHoldsAll(w http.ResponseWriter, r *http.Request) {
	func() {
		body := bytespool.New(512)
		defer bytespool.Release(body)
		io.ReadFull(r.Body, body)
		w.Write(body)
	}()
	w.WriteHeader(http.StatusNoContent)
}

// bad: bytebufferpool resets the buffer on Put, and hands it to the next.
func bytebufferpoolUseAfterPut(w http.ResponseWriter, name string) {
	page := bytebufferpool.Get()
	page.WriteString("hello, ")
	page.WriteString(name)
	bytebufferpool.Put(page)
	w.Write(page.B) // want "OCT001: .*page.*"
}
