// Package bug sends documents to a search server.
package bug

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
)

// An encoder compresses. The buffer that it returns is the caller's, who gives it back
// to the pool.
type encoder interface {
	Encode(r io.Reader) (*bytes.Buffer, error)
}

type gzipEncoder struct {
	writers sync.Pool
	buffers *sync.Pool
}

func newGzipEncoder(buffers *sync.Pool) *gzipEncoder {
	e := &gzipEncoder{buffers: buffers}
	e.writers.New = func() any { return gzip.NewWriter(io.Discard) }
	return e
}

func (e *gzipEncoder) Encode(r io.Reader) (*bytes.Buffer, error) {
	w := e.writers.Get().(*gzip.Writer)
	defer e.writers.Put(w)

	buf := e.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	w.Reset(buf)
	if _, err := io.Copy(w, r); err != nil {
		e.buffers.Put(buf)
		return nil, err
	}
	if err := w.Close(); err != nil {
		e.buffers.Put(buf)
		return nil, err
	}
	return buf, nil
}

// A call is a request on its way.
type call struct {
	method string
	url    *url.URL
	header http.Header
	body   io.Reader
}

type answer struct {
	status int
	body   []byte
}

// A transport sends calls. It is done with a body when Send returns.
type transport interface {
	Send(ctx context.Context, c *call) (*answer, error)
}

// A request says what to send. Its payload is bytes, a reader, or something to be
// marshaled.
type request struct {
	method      string
	endpoint    string
	contentType string
	payload     any
}

type client struct {
	host      string
	transport transport
	buffers   *sync.Pool
	encoder   encoder
}

func newClient(host string, t transport, compress bool) *client {
	c := &client{
		host:      host,
		transport: t,
		buffers:   &sync.Pool{New: func() any { return new(bytes.Buffer) }},
	}
	if compress {
		c.encoder = newGzipEncoder(c.buffers)
	}
	return c
}

func (c *client) send(ctx context.Context, req *request) (*answer, error) {
	u, err := url.Parse(c.host + req.endpoint)
	if err != nil {
		return nil, fmt.Errorf("parsing the URL: %w", err)
	}

	var body io.Reader
	if req.payload != nil {
		buf := c.buffers.Get().(*bytes.Buffer)
		buf.Reset()

		switch payload := req.payload.(type) {
		case []byte:
			buf.Write(payload)
			body = buf
		case io.Reader:
			body = bufio.NewReader(payload)
		default:
			data, err := json.Marshal(payload)
			if err != nil {
				return nil, fmt.Errorf("marshaling the body: %w", err)
			}
			buf.Write(data)
			body = buf
		}

		if c.encoder != nil {
			body, err = c.encoder.Encode(body)
			if err != nil {
				return nil, fmt.Errorf("encoding the body: %w", err)
			}
		}
	}

	header := make(http.Header)
	if req.contentType != "" {
		header.Set("Content-Type", req.contentType)
	}

	resp, err := c.transport.Send(ctx, &call{req.method, u, header, body})
	if err != nil {
		return nil, fmt.Errorf("calling the server: %w", err)
	}
	if buf, ok := body.(*bytes.Buffer); ok {
		c.buffers.Put(buf)
	}
	return resp, nil
}
