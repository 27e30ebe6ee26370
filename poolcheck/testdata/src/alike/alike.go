// Package alike has programs that were once reported falsely.
package alike

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

var bufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: what is not a []byte is nothing that the pool should have.
func compared() error {
	b := slicePool.Get()
	if _, ok := b.([]byte); ok == false {
		return errors.New("not a slice")
	}
	slicePool.Put(b)
	return nil
}

var slicePool sync.Pool

type frame struct {
	data []byte
	next *frame
	buf  *bytes.Buffer
}

var framePool = sync.Pool{New: func() any { return &frame{data: make([]byte, 0, 1500)} }}

type stream struct{ pending *frame }

// ok: the content does not fit, so that append copies it.
func (s *stream) write(p []byte) {
	f := framePool.Get().(*frame)
	if len(f.data)+len(p) > cap(f.data) {
		grown := &frame{data: append(f.data, p...)}
		framePool.Put(f)
		s.pending = grown
		return
	}
	f.data = append(f.data, p...)
	s.pending = f
}

// ok: the buffers of a list go back one by one.
func drain(first *frame) {
	for f := first; f != nil; f = f.next {
		f.buf.Reset()
		bufs.Put(f.buf)
	}
}

var errEmpty = errors.New("empty")

// some returns nothing beside an error, and nothing if there is nothing.
func some(n int) (b []byte, empty bool, err error) {
	if n == 0 {
		return nil, true, nil
	}
	b, err = acquired(n)
	return b, false, err
}

// acquired returns nothing beside an error.
//
//poolcheck:owns return
func acquired(n int) ([]byte, error)

// ok: there is none beside the error, and none if it is empty.
func somewhat(w io.Writer, n int) error {
	b, empty, err := some(n)
	if err != nil {
		return err
	}
	if empty {
		return errEmpty
	}
	defer bytespool.Release(b)
	_, err = w.Write(b)
	return err
}

type redeemed struct {
	buf    []byte
	redeem func()
}

var redeemables sync.Pool

func init() {
	redeemables.New = func() any {
		r := new(redeemed)
		r.redeem = func() { redeemables.Put(r) }
		return r
	}
}

// ok: the caller gets what puts it back.
func borrow(n int) ([]byte, func()) {
	r := redeemables.Get().(*redeemed)
	return make([]byte, n), r.redeem
}

// ok: the result of one stage is the input of the next.
func stages(src []byte, fs ...func(dst, src []byte) []byte) []byte {
	cur := append(bytespool.Make(len(src)), src...)
	for _, f := range fs {
		next := f(bytespool.Make(len(cur)), cur)
		bytespool.Release(cur)
		cur = next
	}
	return cur
}

// Seeds is for whoever wants it.
var Seeds = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: nothing here puts anything into this pool, other packages may.
func seeded(v any) (*bytes.Buffer, error) {
	b := Seeds.Get().(*bytes.Buffer)
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return nil, err
	}
	return b, nil
}

// ok: the transport may still read the body of a request that failed.
func posted(c *http.Client, url string) error {
	b := bufs.Get().(*bytes.Buffer)
	res, err := c.Post(url, "text/plain", bytes.NewReader(b.Bytes()))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.ReadAll(res.Body)
	bufs.Put(b)
	return err
}

type outputs []io.Writer

func (o outputs) try(f func(io.Writer) error) error {
	for _, w := range o {
		if err := f(w); err != nil {
			return err
		}
	}
	return nil
}

// ok: the literal that failed has put the buffer back.
func (o outputs) tryOnce() error {
	b := bufs.Get().(*bytes.Buffer)
	err := o.try(func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		if err != nil {
			bufs.Put(b)
		}
		return err
	})
	if err != nil {
		return err
	}
	bufs.Put(b)
	return nil
}

// ok: the level is right.
func deflated(data []byte) ([]byte, error) {
	b := bufs.Get().(*bytes.Buffer)
	w, err := flate.NewWriter(b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	w.Write(data)
	w.Close()
	out := bytes.Clone(b.Bytes())
	bufs.Put(b)
	return out, nil
}

// ok: what is sent is the same memory.
func sent(out chan<- []byte, p []byte) {
	b := bytespool.New(100)
	dst := bytes.NewBuffer(b[:0])
	dst.Write(p)
	out <- dst.Bytes()
}

type fault struct{ text string }

func (f *fault) Error() string { return f.text }

var faults = sync.Pool{New: func() any { return new(fault) }}

func dropFault(f *fault) { faults.Put(f) }

type chain struct{ errs []error }

// ok: the errors are kept.
func (c *chain) collect(texts []string) {
	for _, text := range texts {
		f := faults.Get().(*fault)
		f.text = text
		c.errs = append(c.errs, f)
	}
}
