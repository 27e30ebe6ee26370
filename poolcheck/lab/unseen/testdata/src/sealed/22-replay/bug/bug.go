// Package bug forwards requests to one of several backends. When a backend does
// not answer, the request is sent to the next one.
package bug

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

const maxReplaySize = 16 << 10

// A replayBody remembers what was read of a body, so that it can be read again.
type replayBody struct {
	r        io.ReadCloser
	maxSize  int
	buf      []byte // what was read of r
	next     []byte // what of buf is to be read again
	tooLarge bool   // buf does not have all that was read
	complete bool   // buf has the whole body
}

var bodyPool = sync.Pool{New: func() any { return new(replayBody) }}

func getReplayBody(r io.ReadCloser, maxSize int) *replayBody {
	b := bodyPool.Get().(*replayBody)
	if r == nil {
		r = http.NoBody
	}
	b.r = r
	b.maxSize = maxSize
	return b
}

func putReplayBody(b *replayBody) {
	b.r = nil
	b.buf = b.buf[:0]
	b.next = nil
	b.tooLarge = false
	b.complete = false
	bodyPool.Put(b)
}

func (b *replayBody) Read(p []byte) (int, error) {
	if len(b.next) > 0 {
		n := copy(p, b.next)
		b.next = b.next[n:]
		return n, nil
	}
	if b.r == nil {
		if b.complete {
			return 0, io.EOF
		}
		return 0, errors.New("the body of the request is closed")
	}
	n, err := b.r.Read(p)
	if b.tooLarge {
		return n, err
	}
	if len(b.buf)+n > b.maxSize {
		b.tooLarge = true
		return n, err
	}
	b.buf = append(b.buf, p[:n]...)
	if err == io.EOF {
		b.complete = true
	}
	return n, err
}

// Close goes back to the beginning if it can.
func (b *replayBody) Close() error {
	if b.tooLarge {
		b.next = nil
	} else {
		b.next = b.buf
	}
	if !b.complete && !b.tooLarge || b.r == nil {
		return nil
	}
	err := b.r.Close()
	b.r = nil
	return err
}

func (b *replayBody) canReplay() bool {
	return !b.tooLarge && (b.complete || b.r != nil)
}

var copyBuffers = sync.Pool{New: func() any { b := make([]byte, 16<<10); return &b }}

type proxy struct {
	transport http.RoundTripper
	backends  []*url.URL
	turn      atomic.Uint32
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := getReplayBody(r.Body, maxReplaySize)
	defer putReplayBody(body)
	r.Body = body

	for range p.backends {
		backend := p.backends[int(p.turn.Add(1))%len(p.backends)]
		if p.try(w, r, backend) {
			return
		}
	}
	http.Error(w, "no backend answers", http.StatusBadGateway)
}

// try tells whether the request is done with.
func (p *proxy) try(w http.ResponseWriter, r *http.Request, backend *url.URL) bool {
	req := r.Clone(r.Context())
	req.RequestURI = ""
	req.URL.Scheme = backend.Scheme
	req.URL.Host = backend.Host
	req.Host = backend.Host
	req.Header.Del("Connection")

	res, err := p.transport.RoundTrip(req)
	if err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			log.Printf("request of %s: %v", r.RemoteAddr, err)
			return true
		}
		body, ok := req.Body.(*replayBody)
		if !ok || !body.canReplay() {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return true
		}
		log.Printf("%s: %v", backend.Host, err)
		return false
	}
	defer res.Body.Close()
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)

	buf := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(buf)
	if _, err := io.CopyBuffer(w, res.Body, *buf); err != nil {
		log.Printf("answer of %s: %v", backend.Host, err)
	}
	return true
}
