// Package bug keeps the responses of redirects, one after another, in buffers
// of a pool of limited size.
package bug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"sync"
	"unsafe"
)

const (
	poolSize    = 10000
	maxBodySize = 8 << 20
)

// A sizedPool has at most so many values outside at a time.
type sizedPool[T any] struct {
	sem  chan struct{}
	pool *sync.Pool
}

func newSizedPool[T any](size int, pool *sync.Pool) *sizedPool[T] {
	return &sizedPool[T]{sem: make(chan struct{}, size), pool: pool}
}

func (s *sizedPool[T]) get(ctx context.Context) (T, error) {
	select {
	case s.sem <- struct{}{}:
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	return s.pool.Get().(T), nil
}

func (s *sizedPool[T]) put(x T) {
	<-s.sem
	s.pool.Put(x)
}

// forget is instead of put for a value that is not to come back.
func (s *sizedPool[T]) forget() { <-s.sem }

var bufPool = newSizedPool[*bytes.Buffer](poolSize, &sync.Pool{
	New: func() any { return new(bytes.Buffer) },
})

func getBuffer() *bytes.Buffer {
	buf, _ := bufPool.get(context.Background())
	return buf
}

// putBuffer puts a buffer back, unless it is too large.
func putBuffer(buf *bytes.Buffer) {
	size := buf.Cap()
	if size > maxBodySize {
		bufPool.forget()
		return
	}
	buf.Reset()
	bufPool.put(buf)
}

func toString(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

// A responseChain shows the response at the end of redirects, and then those
// before it.
type responseChain struct {
	headers  *bytes.Buffer
	body     *bytes.Buffer
	resp     *http.Response
	reloaded bool
}

func newResponseChain(resp *http.Response) *responseChain {
	return &responseChain{
		headers: getBuffer(),
		body:    getBuffer(),
		resp:    resp,
	}
}

func (r *responseChain) BodyString() string { return r.body.String() }

// FullResponse returns headers and body in a buffer that belongs to the caller.
func (r *responseChain) FullResponse() *bytes.Buffer {
	buf := getBuffer()
	buf.Write(r.headers.Bytes())
	buf.Write(r.body.Bytes())
	return buf
}

// FullResponseBytes returns headers and body.
func (r *responseChain) FullResponseBytes() []byte {
	buf := r.FullResponse()
	defer putBuffer(buf)
	return buf.Bytes()
}

// FullResponseString returns headers and body as a string.
func (r *responseChain) FullResponseString() string {
	return toString(r.FullResponse().Bytes())
}

// Previous goes to the response before this one, if there is one.
func (r *responseChain) Previous() bool {
	if r.resp != nil && r.resp.Request != nil && r.resp.Request.Response != nil {
		r.resp = r.resp.Request.Response
		r.reloaded = true
		return true
	}
	return false
}

// Fill reads the response. Those before the last have no body any more.
func (r *responseChain) Fill() error {
	r.headers.Reset()
	r.body.Reset()
	if r.resp == nil {
		return errors.New("no response")
	}
	head, err := httputil.DumpResponse(r.resp, false)
	if err != nil {
		return fmt.Errorf("reading the headers: %w", err)
	}
	r.headers.Write(head)
	if r.resp.StatusCode != http.StatusSwitchingProtocols && !r.reloaded {
		defer r.resp.Body.Close()
		if _, err := r.body.ReadFrom(r.resp.Body); err != nil {
			return fmt.Errorf("reading the body: %w", err)
		}
	}
	return nil
}

// Close gives up the buffers. It may be called again.
func (r *responseChain) Close() {
	putBuffer(r.headers)
	putBuffer(r.body)
	r.headers = nil
	r.body = nil
}

type finding struct {
	status int
	raw    []byte
	text   string
}

type scanner struct {
	client *http.Client
	match  func(body string) bool
}

// scan returns the responses that match.
func (s *scanner) scan(url string) ([]finding, error) {
	resp, err := s.client.Get(url)
	if err != nil {
		return nil, err
	}
	chain := newResponseChain(resp)
	defer chain.Close()
	var found []finding
	for {
		if err := chain.Fill(); err != nil {
			chain.Close()
			return nil, err
		}
		if s.match(chain.BodyString()) {
			found = append(found, finding{
				status: chain.resp.StatusCode,
				raw:    chain.FullResponseBytes(),
				text:   chain.FullResponseString(),
			})
		}
		if !chain.Previous() {
			break
		}
	}
	return found, nil
}
