// Package fixed asks an upstream server for names over HTTP.
package fixed

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"sync"
	"time"
	"unsafe"
)

const (
	maxMessageSize = 65535
	messageType    = "application/dns-message"
	maxShift       = 20
)

var (
	errTruncated = errors.New("message is truncated")
	errTooLong   = errors.New("name is too long")
)

// An allocator has a pool for each power of two.
type allocator struct {
	buffers [maxShift + 1]sync.Pool
}

func newAllocator() *allocator {
	a := new(allocator)
	for i := range a.buffers {
		size := 1 << i
		a.buffers[i].New = func() any { return make([]byte, size) }
	}
	return a
}

func (a *allocator) get(size int) []byte {
	if size <= 0 || size > 1<<maxShift {
		panic(fmt.Sprintf("no buffers of %d bytes", size))
	}
	return a.buffers[bits.Len(uint(size-1))].Get().([]byte)[:size]
}

func (a *allocator) release(buf []byte) {
	i := bits.Len(uint(cap(buf) - 1))
	if cap(buf) != 1<<i {
		panic(fmt.Sprintf("%d bytes are of no pool", cap(buf)))
	}
	a.buffers[i].Put(buf[:cap(buf)])
}

var (
	buffers = newAllocator()
	bodies  = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 512)) }}
)

// A message is a query or its answer.
type message struct {
	id      uint16
	flags   uint16
	name    string
	kind    uint16
	answers []byte
}

func (m *message) size() int { return 4 + 1 + len(m.name) + 2 + len(m.answers) }

// pack returns the message in a buffer that is to be given back.
func (m *message) pack() ([]byte, error) {
	if len(m.name) > 255 {
		return nil, errTooLong
	}
	raw := buffers.get(m.size())
	binary.BigEndian.PutUint16(raw, m.id)
	binary.BigEndian.PutUint16(raw[2:], m.flags)
	raw[4] = byte(len(m.name))
	n := 5 + copy(raw[5:], m.name)
	binary.BigEndian.PutUint16(raw[n:], m.kind)
	copy(raw[n+2:], m.answers)
	return raw, nil
}

func (m *message) unpack(raw []byte) error {
	if len(raw) < 7 || len(raw) < 7+int(raw[4]) {
		return errTruncated
	}
	m.id = binary.BigEndian.Uint16(raw)
	m.flags = binary.BigEndian.Uint16(raw[2:])
	n := 5 + int(raw[4])
	m.name = string(raw[5:n])
	m.kind = binary.BigEndian.Uint16(raw[n:])
	m.answers = append([]byte(nil), raw[n+2:]...)
	return nil
}

// bytesToString returns b as a string without copying it.
func bytesToString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

type upstream struct {
	url     string
	timeout time.Duration
	client  *http.Client
}

func newUpstream(url string, timeout time.Duration) *upstream {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		MaxConnsPerHost:     2,
		IdleConnTimeout:     30 * time.Second,
		TLSHandshakeTimeout: 5 * time.Second,
	}
	return &upstream{url: url, timeout: timeout, client: &http.Client{Transport: t}}
}

// Exchange asks the server and returns what it answers.
func (u *upstream) Exchange(q *message) (*message, error) {
	raw, err := q.pack()
	if err != nil {
		return nil, err
	}
	defer buffers.release(raw)

	// With an ID of zero equal questions have equal URLs, which caches like.
	raw[0], raw[1] = 0, 0

	urlLen := len(u.url) + len("?dns=") + base64.RawURLEncoding.EncodedLen(len(raw))
	urlBuf := make([]byte, urlLen)
	n := copy(urlBuf, u.url)
	n += copy(urlBuf[n:], "?dns=")
	base64.RawURLEncoding.Encode(urlBuf[n:], raw)

	ctx, cancel := context.WithTimeout(context.Background(), u.timeout)
	defer cancel()
	r, err := u.get(ctx, bytesToString(urlBuf))
	if err != nil {
		return nil, err
	}
	r.id = q.id
	return r, nil
}

func (u *upstream) get(ctx context.Context, url string) (*message, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	req.Header.Set("Accept", messageType)
	resp, err := u.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking the server: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers with status %d", resp.StatusCode)
	}

	body := bodies.Get().(*bytes.Buffer)
	body.Reset()
	defer bodies.Put(body)
	if _, err := body.ReadFrom(io.LimitReader(resp.Body, maxMessageSize)); err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	r := new(message)
	if err := r.unpack(body.Bytes()); err != nil {
		return nil, fmt.Errorf("the answer: %w", err)
	}
	return r, nil
}
