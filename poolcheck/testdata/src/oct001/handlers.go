// Package oct001 holds uses of pooled memory after its release, and code that
// looks like one and is not.
package oct001

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/valyala/bytebufferpool"
)

var bufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: the response is written from a buffer that went back a line earlier.
func writeJSONAfterPut(w http.ResponseWriter, v any) {
	body := bufferPool.Get().(*bytes.Buffer)
	body.Reset()
	if err := json.NewEncoder(body).Encode(v); err != nil {
		bufferPool.Put(body)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	bufferPool.Put(body)
	w.Write(body.Bytes()) // want "OCT001: .*body.*"
}

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

// bad: the message of the error formats the bytes that were just released.
func errorQuotesReleased(r io.Reader) error {
	header := bytespool.New(8)
	if _, err := io.ReadFull(r, header); err != nil {
		bytespool.Release(header)
		return fmt.Errorf("header %q: %w", header, err) // want "OCT001: .*header.*"
	}
	bytespool.Release(header)
	return nil
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

// bad: the literal that is called on the spot releases when it ends, not when
// the handler ends.
func innerDeferReleasesEarly(w http.ResponseWriter, r *http.Request) {
	body := bytespool.New(512)
	func() {
		defer bytespool.Release(body)
		io.ReadFull(r.Body, body)
	}()
	w.Write(body) // want "OCT001: .*body.*"
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

// bad: a Buffer whose last reference was given back is written to.
func bufferWrittenAfterLastRelease(w io.Writer) {
	msg := buffer.NewString("status: ")
	msg.RefInc()
	msg.WriteString("ok")
	msg.WriteTo(w)
	msg.Release()
	msg.Release()
	msg.WriteString("!") // want "OCT001: .*msg.*"
}
