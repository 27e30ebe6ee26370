// Package bug is an HTTP client that retries, with bodies in pooled buffers.
package bug

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"sync"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func acquireBuffer() *bytes.Buffer { return bufPool.Get().(*bytes.Buffer) }

func releaseBuffer(buf *bytes.Buffer) {
	if buf != nil {
		buf.Reset()
		bufPool.Put(buf)
	}
}

// A bodyReleaser releases the buffer of a request when its body is closed.
type bodyReleaser struct {
	once sync.Once
	buf  *bytes.Buffer
	io.ReadCloser
}

func newBodyReleaser(body io.ReadCloser, buf *bytes.Buffer) io.ReadCloser {
	if buf == nil {
		return body
	}
	return &bodyReleaser{buf: buf, ReadCloser: body}
}

func (b *bodyReleaser) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(func() {
		releaseBuffer(b.buf)
	})
	return err
}

type request struct {
	method, url string
	body        any
	buf         *bytes.Buffer
	raw         *http.Request
}

func handleBody(r *request) error {
	var p []byte
	releaseBuffer(r.buf)
	r.buf = nil

	switch body := r.body.(type) {
	case []byte:
		p = body
	case string:
		p = []byte(body)
	default:
		if k := reflect.Indirect(reflect.ValueOf(body)).Kind(); k == reflect.Struct || k == reflect.Map {
			r.buf = acquireBuffer()
			if err := json.NewEncoder(r.buf).Encode(body); err != nil {
				return err
			}
		}
	}
	if p == nil && r.buf == nil {
		return errors.New("unsupported body")
	}
	if p != nil {
		r.buf = acquireBuffer()
		r.buf.Write(p)
	}
	return nil
}

func createRaw(r *request) (err error) {
	body := bytes.NewBuffer(append([]byte{}, r.buf.Bytes()...))
	r.raw, err = http.NewRequest(r.method, r.url, body)
	return err
}

type client struct {
	http    *http.Client
	retries int
	before  []func(*request) error
}

func newClient() *client {
	return &client{http: http.DefaultClient, retries: 3, before: []func(*request) error{handleBody, createRaw}}
}

func (c *client) execute(r *request) (*http.Response, error) {
	for _, f := range c.before {
		if err := f(r); err != nil {
			return nil, err
		}
	}
	r.raw.Body = newBodyReleaser(r.raw.Body, r.buf)
	return c.http.Do(r.raw)
}

func (c *client) send(r *request) (res *http.Response, err error) {
	for range c.retries {
		if res, err = c.execute(r); err == nil && res.StatusCode < 500 {
			return res, nil
		}
		if res != nil {
			res.Body.Close()
		}
	}
	return res, err
}
