// Package oct001 holds uses of pooled memory after its release, and code that
// looks like one and is not.
package oct001

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/valyala/bytebufferpool"
)

var bufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var gzipPool = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

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

// ok: the response is written first.
func writeJSONBeforePut(w http.ResponseWriter, v any) {
	body := bufferPool.Get().(*bytes.Buffer)
	body.Reset()
	if err := json.NewEncoder(body).Encode(v); err != nil {
		bufferPool.Put(body)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(body.Bytes())
	bufferPool.Put(body)
}

// bad: the length is asked of a *bytes.Buffer that may be somebody else's.
func accessLogAfterPut(w io.Writer, render func(*bytes.Buffer)) {
	page := bufferPool.Get().(*bytes.Buffer)
	page.Reset()
	render(page)
	page.WriteTo(w)
	bufferPool.Put(page)
	log.Printf("sent %d bytes", page.Len()) // want "OCT001: .*page.*"
}

// ok: the length of a slice lies in the variable, not in the pooled memory.
func logLengthOfReleased(r io.Reader) {
	page := bytespool.Get(4096)
	io.ReadFull(r, page)
	bytespool.Release(page)
	log.Printf("read %d of %d bytes", len(page), cap(page))
}

// ok: a count taken before the release is a plain number.
func logCountTakenBefore(w io.Writer, render func(*bytes.Buffer)) {
	page := bufferPool.Get().(*bytes.Buffer)
	page.Reset()
	render(page)
	size := page.Len()
	page.WriteTo(w)
	bufferPool.Put(page)
	log.Printf("sent %d bytes", size)
}

// bad: the branch of the error releases, forgets to return, and falls through.
func errorFallsThrough(w http.ResponseWriter, r *http.Request) {
	body := bytespool.Get(1024)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		bytespool.Release(body)
		http.Error(w, "short body", http.StatusBadRequest)
	}
	w.Write(body) // want "OCT001: .*body.*"
	bytespool.Release(body)
}

// ok: the branch of the error releases and returns.
func errorReturns(w http.ResponseWriter, r *http.Request) {
	body := bytespool.Get(1024)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		bytespool.Release(body)
		http.Error(w, "short body", http.StatusBadRequest)
		return
	}
	w.Write(body)
	bytespool.Release(body)
}

// bad: the message of the error formats the bytes that were just released.
func errorQuotesReleased(r io.Reader) error {
	header := bytespool.Get(8)
	if _, err := io.ReadFull(r, header); err != nil {
		bytespool.Release(header)
		return fmt.Errorf("header %q: %w", header, err) // want "OCT001: .*header.*"
	}
	bytespool.Release(header)
	return nil
}

// ok: the message is made before the release.
func errorQuotesBefore(r io.Reader) error {
	header := bytespool.Get(8)
	if _, err := io.ReadFull(r, header); err != nil {
		err = fmt.Errorf("header %q: %w", header, err)
		bytespool.Release(header)
		return err
	}
	bytespool.Release(header)
	return nil
}

// bad: the deferred log line was registered first, so it runs last, after the
// deferred release.
func deferredLogRunsLast(r io.Reader) error {
	line := bytespool.Get(128)
	defer func() {
		log.Printf("line: %s", line) // want "OCT001: .*line.*"
	}()
	defer bytespool.Release(line)
	_, err := io.ReadFull(r, line)
	return err
}

// ok: the deferred log line was registered last, so it runs before the release.
func deferredLogRunsFirst(r io.Reader) error {
	line := bytespool.Get(128)
	defer bytespool.Release(line)
	defer func() {
		log.Printf("line: %s", line)
	}()
	_, err := io.ReadFull(r, line)
	return err
}

// bad: the literal that is called on the spot releases when it ends, not when
// the handler ends.
func innerDeferReleasesEarly(w http.ResponseWriter, r *http.Request) {
	body := bytespool.Get(512)
	func() {
		defer bytespool.Release(body)
		io.ReadFull(r.Body, body)
	}()
	w.Write(body) // want "OCT001: .*body.*"
}

// ok: everything that needs the memory is inside of the literal.
func innerDeferHoldsAll(w http.ResponseWriter, r *http.Request) {
	func() {
		body := bytespool.Get(512)
		defer bytespool.Release(body)
		io.ReadFull(r.Body, body)
		w.Write(body)
	}()
	w.WriteHeader(http.StatusNoContent)
}

// bad: Close flushes through the writer after it went back.
func gzipClosedAfterPut(w http.ResponseWriter, p []byte) error {
	zw := gzipPool.Get().(*gzip.Writer)
	zw.Reset(w)
	if _, err := zw.Write(p); err != nil {
		gzipPool.Put(zw)
		return err
	}
	gzipPool.Put(zw)
	return zw.Close() // want "OCT001: .*zw.*"
}

// ok: closed, then put, in defers whose order is right.
func gzipClosedBeforePut(w http.ResponseWriter, p []byte) error {
	zw := gzipPool.Get().(*gzip.Writer)
	defer gzipPool.Put(zw)
	zw.Reset(w)
	defer zw.Close()
	_, err := zw.Write(p)
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

// ok: a copy of the content is used after the buffer went back.
func bytebufferpoolCopyAfterPut(w http.ResponseWriter, name string) {
	page := bytebufferpool.Get()
	page.WriteString("hello, ")
	page.WriteString(name)
	html := page.String()
	bytebufferpool.Put(page)
	io.WriteString(w, html)
}

// bad: the reader reads what was released.
func readerAfterRelease(w http.ResponseWriter, src io.Reader) {
	body := bytespool.Get(2048)
	io.ReadFull(src, body)
	rd := bytes.NewReader(body)
	bytespool.Release(body)
	io.Copy(w, rd) // want "OCT001: .*(body|rd).*"
}

// ok: the reader is drained before the release.
func readerDrained(w http.ResponseWriter, src io.Reader) {
	body := bytespool.Get(2048)
	io.ReadFull(src, body)
	rd := bytes.NewReader(body)
	io.Copy(w, rd)
	bytespool.Release(body)
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

// ok: after RefInc the first Release leaves a reference.
func bufferWrittenBetweenReleases(w io.Writer) {
	msg := buffer.NewString("status: ")
	msg.RefInc()
	msg.WriteTo(w)
	msg.Release()
	msg.WriteString("ok")
	msg.WriteTo(w)
	msg.Release()
}

// ok: Share takes one more reference, given back on its own.
func bufferShared(a, b io.Writer) {
	msg := buffer.NewString("tick")
	second := msg.Share()
	msg.WriteTo(a)
	msg.Release()
	second.WriteTo(b)
	second.Release()
}

// ok: the variable is pointed at a new buffer before it is used again.
func variableReused(w io.Writer, parts [2]string) {
	msg := buffer.NewString(parts[0])
	msg.WriteTo(w)
	msg.Release()
	msg = buffer.NewString(parts[1])
	msg.WriteTo(w)
	msg.Release()
}

var errEmpty = errors.New("empty")

// ok: released and set to nil, and every later use is behind the nil guard.
func nilGuard(w io.Writer, r io.Reader) error {
	body := bytespool.Get(256)
	n, err := r.Read(body)
	if n == 0 {
		bytespool.Release(body)
		body = nil
	}
	if body != nil {
		w.Write(body[:n])
		bytespool.Release(body)
		return err
	}
	return errEmpty
}

// ok: the flag that was set with the release guards the use.
func flagGuard(w io.Writer, r io.Reader) {
	body := bytespool.Get(256)
	released := false
	n, err := r.Read(body)
	if err != nil {
		bytespool.Release(body)
		released = true
	}
	if !released {
		w.Write(body[:n])
		bytespool.Release(body)
	}
}

// ok: the same error is tested twice; the second test excludes the release.
func sameErrorTwice(w io.Writer, r io.Reader) error {
	body := bytespool.Get(256)
	n, err := r.Read(body)
	if err != nil {
		bytespool.Release(body)
	}
	log.Printf("read %d", n)
	if err == nil {
		w.Write(body[:n])
		bytespool.Release(body)
	}
	return err
}

// ok: http.Error and a return on the arms that released; the last arm goes on.
func switchArmsReturn(w http.ResponseWriter, r *http.Request) {
	body := bytespool.Get(256)
	n, err := r.Body.Read(body)
	switch {
	case err == io.EOF && n == 0:
		bytespool.Release(body)
		w.WriteHeader(http.StatusNoContent)
		return
	case err != nil && err != io.EOF:
		bytespool.Release(body)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Write(body[:n])
	bytespool.Release(body)
}

// bad: one arm of the switch releases, and what follows the switch uses.
func switchArmFallsOut(w http.ResponseWriter, r *http.Request) {
	body := bytespool.Get(256)
	n, err := r.Body.Read(body)
	switch {
	case n == 0:
		bytespool.Release(body)
		w.WriteHeader(http.StatusNoContent)
	case err != nil:
		log.Print(err)
	}
	w.Write(body[:n]) // want "OCT001: .*body.*"
	bytespool.Release(body)
}
