package buffer

import (
	"errors"
	"io"
	"sync"
)

var (
	errBodyClosed = errors.New("buffer: Read of a Body that is closed")
	errBodyGone   = errors.New("buffer: Body sent again after its Buffer was released or written to")
)

// A Body reads what a Buffer contained when [Buffer.Body] was called. It has a
// reference to the content, which Close releases. Any number of goroutines may call
// its methods at the same time.
type Body struct {
	lender  *Buffer
	content []byte

	mu     sync.Mutex
	off    int
	holds  bool // a reference to the lender
	closed bool
}

// Body returns a reader of the unread content for code that closes what it is given,
// such as an HTTP client:
//
//	body := b.Body()
//	req, err := http.NewRequest("POST", url, body)
//	// to send Content-Length, and to send the body again where that is necessary:
//	req.ContentLength, req.GetBody = body.Size(), body.GetBody
//
// The Body must be closed. It does not change: the Buffer may be written, emptied and
// released while the Body is read. A write that would change what the Body shows moves
// the rest of the Buffer's content to another array first. Only changes of the bytes by
// way of B show, so b.B = b.B[:0] does not replace Reset.
//
// Body copies nothing. It allocates the Body and, the first time since the Buffer was
// written, some 64 bytes beside it. It leaves the count of the Buffer alone.
func (b *Buffer) Body() *Body {
	u := b.unread()
	if b.refs.idle() {
		return new(Buffer).Body() // it was released, which unread has reported
	}
	return &Body{lender: b.lend(), content: u[:len(u):len(u)], holds: true}
}

// Read reads the next bytes into p and returns how many. It returns [io.EOF] if there
// are none and p is not empty, and another error if the Body is closed.
func (r *Body) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, errBodyClosed
	}
	if !r.holds {
		if !r.lender.refs.retain() {
			return 0, errBodyGone
		}
		r.holds = true
	}
	n := copy(p, r.content[r.off:])
	r.off += n
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close releases the reference to the content. It waits for a Read that is running,
// and later ones fail. It never fails itself, and does nothing the second time.
func (r *Body) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holds && !r.closed {
		r.lender.Release()
	}
	r.closed = true
	return nil
}

// Size returns the number of bytes of the whole content, as http.Request.ContentLength
// wants it.
func (r *Body) Size() int64 { return int64(len(r.content)) }

// GetBody returns another Body with the whole content, which must be closed, too, once
// it was read. The field GetBody of an http.Request may be set to it: the request can
// then be sent again until the Buffer is released or written to, even if all its bodies
// are closed. After that GetBody, or the first Read of what it returned, fails.
func (r *Body) GetBody() (io.ReadCloser, error) {
	// The Body gets its reference with the first Read, because the HTTP/2 transport of
	// Go 1.26 and 1.27 asks for bodies that it neither reads nor closes.
	if r.lender.refs.idle() {
		return nil, errBodyGone
	}
	return &Body{lender: r.lender, content: r.content}, nil
}
