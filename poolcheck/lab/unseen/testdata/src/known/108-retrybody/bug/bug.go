// Package bug proxies requests, whose bodies may be buffered so that a request can
// be sent to another host when the first one fails.
package bug

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

var bodyBufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A heldBody is a body that was read in advance, whole or in part. Close
// gives its buffer back.
type heldBody struct {
	io.Reader
	buf  *bytes.Buffer
	body io.ReadCloser // has the rest, if there is more
}

func (b heldBody) Close() error {
	bodyBufs.Put(b.buf)
	if b.body != nil {
		return b.body.Close()
	}
	return nil
}

// An upstream sends requests to one host. It has read the body of a request,
// or does not need it any more, and has closed it, when send returns.
type upstream interface {
	send(r *http.Request) (*http.Response, error)
}

// A Handler proxies requests.
type Handler struct {
	Upstreams    []upstream
	HoldRequest  int64
	HoldResponse int64
	TryDuration  time.Duration
	TryInterval  time.Duration
}

var errNoUpstreams = errors.New("no upstreams")

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(h.Upstreams) == 0 {
		http.Error(w, errNoUpstreams.Error(), http.StatusServiceUnavailable)
		return
	}
	if err := h.proxy(w, r); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

func (h *Handler) proxy(w http.ResponseWriter, r *http.Request) error {
	cloned := h.prepare(r)

	// Fields of the header may depend on the upstream, so each try begins with
	// those that the request had.
	host, header := cloned.Host, cloned.Header

	// A body that is buffered as a whole can be sent again.
	b, ok := cloned.Body.(heldBody)
	whole := cloned.Body == nil || ok && b.body == nil

	start := time.Now()
	for retries := 0; ; retries++ {
		if b, ok := r.Body.(heldBody); ok && b.body == nil {
			r.Body = io.NopCloser(bytes.NewReader(b.buf.Bytes()))
		}
		cloned.Host = host
		cloned.Header = header.Clone()
		up := h.Upstreams[retries%len(h.Upstreams)]
		done, err := h.tryOnce(w, cloned, up)
		if done {
			return err
		}
		if !whole || !h.tryAgain(start, r) {
			return err
		}
	}
}

// tryOnce sends the request and copies the response. It is done if the response
// began.
func (h *Handler) tryOnce(w http.ResponseWriter, r *http.Request, up upstream) (done bool, err error) {
	res, err := up.send(r)
	if err != nil {
		return false, err
	}
	if h.HoldResponse != 0 {
		res.Body, _ = h.hold(res.Body, h.HoldResponse)
	}
	defer res.Body.Close()
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	_, err = io.Copy(w, res.Body)
	return true, err
}

// tryAgain tells whether there is time for another try, and waits.
func (h *Handler) tryAgain(start time.Time, r *http.Request) bool {
	if time.Since(start) >= h.TryDuration {
		return false
	}
	// Only requests that are safe to repeat.
	if r.Method != http.MethodGet && r.Method != http.MethodPut {
		return false
	}
	select {
	case <-time.After(h.TryInterval):
		return true
	case <-r.Context().Done():
		return false
	}
}

// prepare returns a copy of the request to send.
func (h *Handler) prepare(r *http.Request) *http.Request {
	cloned := new(http.Request)
	*cloned = *r
	cloned.URL = new(url.URL)
	*cloned.URL = *r.URL
	cloned.Header = r.Header.Clone()
	if h.HoldRequest != 0 && cloned.Body != nil {
		var n int64
		cloned.Body, n = h.hold(cloned.Body, h.HoldRequest)
		if b, ok := cloned.Body.(heldBody); ok && b.body == nil {
			cloned.ContentLength = n
			cloned.Header.Set("Content-Length", strconv.FormatInt(n, 10))
		}
	}
	cloned.Close = false
	return cloned
}

// hold reads a body up to the limit, or the whole of it if the limit is
// negative.
func (h *Handler) hold(body io.ReadCloser, limit int64) (io.ReadCloser, int64) {
	if limit == 0 {
		return body, 0
	}
	var n int64
	buf := bodyBufs.Get().(*bytes.Buffer)
	buf.Reset()
	if limit > 0 {
		var err error
		n, err = io.CopyN(buf, body, limit)
		if err != nil && err != io.EOF || n == limit {
			return heldBody{
				Reader: io.MultiReader(buf, body),
				buf:    buf,
				body:   body,
			}, n
		}
	} else {
		n, _ = io.Copy(buf, body)
	}
	body.Close()
	return heldBody{Reader: buf, buf: buf}, n
}
