package oct005

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var bodyBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func bodyBuffer(text string) *bytes.Buffer {
	b := bodyBuffers.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(text)
	return b
}

// bad: the transport may still read the body when Do returns, after an early answer or
// a timeout.
func sent(c *http.Client, url, text string) (*http.Response, error) {
	b := bodyBuffer(text)
	req, err := http.NewRequest("POST", url, b)
	if err != nil {
		bodyBuffers.Put(b)
		return nil, err
	}
	res, err := c.Do(req)
	bodyBuffers.Put(b) // want "OCT005: .*b.*"
	return res, err
}

// ok: the request has a copy.
func sentCopy(c *http.Client, url, text string) (*http.Response, error) {
	b := bodyBuffer(text)
	req, err := http.NewRequest("POST", url, bytes.NewReader(bytes.Clone(b.Bytes())))
	bodyBuffers.Put(b)
	if err != nil {
		return nil, err
	}
	return c.Do(req)
}

// bad: a reader over pooled memory is read as late.
func posted(url string, r io.Reader) (*http.Response, error) {
	b := bytespool.Get(512)
	defer bytespool.Release(b) // want "OCT005: .*b.*"
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return http.Post(url, "application/octet-stream", bytes.NewReader(b))
}

// bad: and so is a buffer that is the body itself.
func postedBuffer(c *http.Client, url, text string) (*http.Response, error) {
	b := bodyBuffer(text)
	defer bodyBuffers.Put(b) // want "OCT005: .*b.*"
	return c.Post(url, "text/plain", b)
}

// ok: nothing but the address is pooled memory, and it is read at once.
func postedTo(r io.Reader) (*http.Response, error) {
	b := bytespool.Get(64)
	defer bytespool.Release(b)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return http.Post("http://"+string(b), "text/plain", http.NoBody)
}

// bad: a RoundTripper says so, too.
func roundTrip(t http.RoundTripper, req *http.Request, text string) (*http.Response, error) {
	b := bodyBuffer(text)
	req.Body = io.NopCloser(b)
	res, err := t.RoundTrip(req)
	bodyBuffers.Put(b) // want "OCT005: .*b.*"
	return res, err
}

// A closingBody is released when the transport closes it.
type closingBody struct {
	*bytes.Reader
	buf *bytes.Buffer
}

func (b *closingBody) Close() error {
	bodyBuffers.Put(b.buf)
	return nil
}

// ok: the transport closes the body, and that releases it.
func sentAndClosed(c *http.Client, url, text string) (*http.Response, error) {
	b := bodyBuffer(text)
	req, err := http.NewRequest("POST", url, nil)
	if err != nil {
		bodyBuffers.Put(b)
		return nil, err
	}
	req.Body = &closingBody{bytes.NewReader(b.Bytes()), b}
	return c.Do(req)
}

// bad: the transport closes the body, which releases it, and it is released again.
func sentAndReleased(c *http.Client, url, text string) (*http.Response, error) {
	b := bodyBuffer(text)
	req, err := http.NewRequest("POST", url, nil)
	if err != nil {
		bodyBuffers.Put(b)
		return nil, err
	}
	req.Body = &closingBody{bytes.NewReader(b.Bytes()), b}
	res, err := c.Do(req)
	bodyBuffers.Put(b) // want "OCT003: .*b.*"
	return res, err
}

// ok: the body has a reference of its own, which its Close gives back.
func sentCounted(c *http.Client, req *http.Request, text string) (*http.Response, error) {
	b := buffer.NewString(text)
	defer b.Release()
	b.RefInc()
	req.Body = &countedBody{bytes.NewReader(b.B), b}
	return c.Do(req)
}

type countedBody struct {
	*bytes.Reader
	buf *buffer.Buffer
}

func (b *countedBody) Close() error {
	b.buf.Release()
	return nil
}

// ok: the request was not sent.
func built(url, text string, send func(*http.Request) bool) error {
	b := bodyBuffer(text)
	defer bodyBuffers.Put(b)
	req, err := http.NewRequest("POST", url, b)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "text/plain")
	return req.Write(io.Discard)
}

// A payload keeps its bytes when it goes back.
type payload struct{ data []byte }

var payloads = sync.Pool{New: func() any { return new(payload) }}

// pack appends p to dst by way of a writer.
func pack(dst, p []byte) []byte {
	buf := bytes.NewBuffer(dst)
	buf.Write(p)
	return buf.Bytes()
}

// bad: the transport may still read what the payload holds.
func sentPayload(c *http.Client, url string, p []byte) (*http.Response, error) {
	b := payloads.Get().(*payload)
	defer payloads.Put(b) // want "OCT005: .*b.*"
	b.data = pack(b.data[:0], p)
	return c.Post(url, "text/plain", bytes.NewReader(b.data))
}

// ok: the answer was read to its end before the release, and a request that failed keeps
// the payload.
func sentAndAnswered(c *http.Client, url string, p []byte) ([]byte, error) {
	b := payloads.Get().(*payload)
	b.data = pack(b.data[:0], p)
	res, err := c.Post(url, "text/plain", bytes.NewReader(b.data))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	payloads.Put(b)
	return answer, err
}

// bad: nobody reads the answer.
func sentAndClosedUnread(c *http.Client, url string, p []byte) error {
	b := payloads.Get().(*payload)
	b.data = pack(b.data[:0], p)
	res, err := c.Post(url, "text/plain", bytes.NewReader(b.data))
	if err != nil {
		return err
	}
	res.Body.Close()
	payloads.Put(b) // want "OCT005: .*b.*"
	return nil
}
