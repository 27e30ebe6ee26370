package oct004

import (
	"bytes"
	"io"
	"net/http"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// scratch returns a slice, and the function that takes it back.
func scratch(n int) ([]byte, func()) {
	b := bytespool.New(n)
	return b, func() { bytespool.Release(b) }
}

// ok: the function beside the slice releases it.
func scratchDeferred(w io.Writer) {
	b, done := scratch(16)
	defer done()
	n := copy(b, "hello")
	w.Write(b[:n])
}

// A closer frees in Close.
type closer struct {
	io.Reader
	free func()
}

func (c *closer) Close() error { c.free(); return nil }

type recording struct{ next http.RoundTripper }

// ok: whoever sends a request closes its body, which releases.
func (t recording) RoundTrip(r *http.Request) (*http.Response, error) {
	b := buffer.Get()
	if _, err := b.ReadFrom(r.Body); err != nil {
		b.Release()
		return nil, err
	}
	r2 := r.Clone(r.Context())
	r2.Body = &closer{bytes.NewReader(b.Bytes()), b.Put}
	return t.next.RoundTrip(r2)
}

type chained struct {
	b    []byte
	next *chained
}

// bad: each round drops the node of the one before.
func unchained(ps [][]byte, w io.Writer) {
	var last *chained
	for _, p := range ps {
		last = &chained{b: append(bytespool.Make(len(p)), p...)} // want "OCT004: .* .the loop acquires another."
		w.Write(last.b)
	}
	if last != nil {
		bytespool.Release(last.b)
	}
}

// ok: a variable tells whether there is something to release.
func byState(in []byte, w io.Writer) {
	const (
		idle = iota
		within
	)
	state := idle
	var b []byte
	for _, c := range in {
		switch state {
		case idle:
			if c == '{' {
				b = bytespool.Make(64)
				state = within
			}
		case within:
			if c == '}' {
				w.Write(b)
				bytespool.Release(b)
				state = idle
				continue
			}
			b = append(b, c)
		}
	}
	if state == within {
		bytespool.Release(b)
	}
}

// bad: the state is left without a release.
func byStateForgotten(in []byte, w io.Writer) {
	within := 0
	var b []byte
	for _, c := range in {
		if c == '{' && within == 0 {
			b = bytespool.Make(64) // want "OCT004: .*b.*"
			within = 1
		} else if c == '}' && within == 1 {
			w.Write(b)
			within = 0
		}
	}
	if within == 1 {
		bytespool.Release(b)
	}
}

type settings struct{ scratch []byte }

type option func(*settings)

func withScratch(b []byte) option { return func(s *settings) { s.scratch = b } }

func configure(opts ...option) *settings {
	s := new(settings)
	for _, o := range opts {
		o(s)
	}
	return s
}

// ok: an option carries the slice into the struct.
func configured() *settings {
	b := bytespool.New(100)
	return configure(withScratch(b))
}
