// Package bug answers calls through a writer that keeps the body in a pooled
// buffer until it is closed.
package bug

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
)

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBody() *bytes.Buffer {
	buf := bodies.Get().(*bytes.Buffer)
	buf.Reset()
	return buf
}

func putBody(buf *bytes.Buffer) { bodies.Put(buf) }

var errExhausted = errors.New("resource exhausted")

// A response is one half of a call on the wire.
type response interface {
	HeaderWriter() (io.WriteCloser, error)
	BodyWriter() (io.WriteCloser, error)
	Blackhole()
	SendSystemError(err error) error
}

type responseWriter interface {
	AddHeader(key, value string)
	Write(p []byte) (int, error)
	Close() error
}

type handlerWriter struct {
	headers  map[string]string
	response response
	body     *bytes.Buffer
	failed   error
}

func newHandlerWriter(r response) responseWriter {
	return &handlerWriter{headers: make(map[string]string), response: r}
}

func (w *handlerWriter) AddHeader(key, value string) { w.headers[key] = value }

func (w *handlerWriter) Write(p []byte) (int, error) {
	if w.body == nil {
		w.body = getBody()
	}
	n, err := w.body.Write(p)
	if err != nil {
		w.failed = errors.Join(w.failed, err)
	}
	return n, err
}

func (w *handlerWriter) Close() error {
	retErr := w.failed
	hw, err := w.response.HeaderWriter()
	if err != nil {
		return errors.Join(retErr, err)
	}
	for k, v := range w.headers {
		fmt.Fprintf(hw, "%s=%s;", k, v)
	}
	retErr = errors.Join(retErr, hw.Close())

	bw, err := w.response.BodyWriter()
	if err != nil {
		return errors.Join(retErr, err)
	}
	defer func() { retErr = errors.Join(retErr, bw.Close()) }()
	if w.body != nil {
		defer putBody(w.body)
		if _, err := w.body.WriteTo(bw); err != nil {
			return errors.Join(retErr, err)
		}
	}
	return retErr
}

type handler struct {
	newWriter func(response) responseWriter
	serve     func(method string, w responseWriter) error
}

func (h handler) handle(method string, r response) {
	w := h.newWriter(r)
	w.AddHeader("method", method)

	err := h.serve(method, w)
	if errors.Is(err, errExhausted) {
		r.Blackhole()
		return
	}
	if err != nil {
		if err := r.SendSystemError(err); err != nil {
			log.Println("system error not sent:", err)
		}
		return
	}
	if err := w.Close(); err != nil {
		log.Println("closing the response:", err)
	}
}
