// Package bug sends documents to a search server.
package bug

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
)

var (
	errMethod      = errors.New("the method has no body")
	errContentType = errors.New("the body has no content type")
)

// An encoder compresses. The buffer that it returns is the caller's, who gives it back
// to the pool.
type encoder interface {
	Encode(r io.Reader) (*bytes.Buffer, error)
	Name() string
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

func (e *gzipEncoder) Name() string { return "gzip" }

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
	query       map[string]string
	contentType string
	payload     any
}

type client struct {
	host      string
	apiKey    string
	transport transport
	buffers   *sync.Pool
	encoder   encoder
}

func newClient(host, apiKey string, t transport, compress bool) *client {
	c := &client{
		host:      host,
		apiKey:    apiKey,
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
	query := u.Query()
	for key, value := range req.query {
		query.Set(key, value)
	}
	u.RawQuery = query.Encode()

	var body io.Reader
	if req.payload != nil {
		if req.method == http.MethodGet || req.method == http.MethodHead {
			return nil, errMethod
		}
		if req.contentType == "" {
			return nil, errContentType
		}

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
	if c.apiKey != "" {
		header.Set("Authorization", "Bearer "+c.apiKey)
	}
	if req.payload != nil && c.encoder != nil {
		header.Set("Content-Encoding", c.encoder.Name())
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

// AddDocuments sends documents to an index, and returns the number of the task.
func (c *client) AddDocuments(ctx context.Context, index string, documents any) (int64, error) {
	resp, err := c.send(ctx, &request{
		method:      http.MethodPost,
		endpoint:    "/indexes/" + url.PathEscape(index) + "/documents",
		contentType: "application/json",
		payload:     documents,
	})
	if err != nil {
		return 0, err
	}
	if resp.status != http.StatusAccepted {
		return 0, fmt.Errorf("the server answers with status %d", resp.status)
	}
	var task struct {
		UID int64 `json:"taskUid"`
	}
	if err := json.Unmarshal(resp.body, &task); err != nil {
		return 0, fmt.Errorf("the answer: %w", err)
	}
	return task.UID, nil
}
