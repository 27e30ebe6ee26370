package oct002

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"sync"
)

// A request goes from handler to handler, and each may wrap its writer.
type request struct {
	w    io.Writer
	next func(*request)
}

func (r *request) handle() { r.next(r) }

var (
	bodies  = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
)

// bad: outer handlers write to what went back.
func buffered(r *request) {
	b := bodies.Get().(*bytes.Buffer)
	b.Reset()
	r.w = b // want "OCT002: b outlives its release"
	defer bodies.Put(b)
	r.next(r)
}

// A zipped writes to a pooled writer.
type zipped struct {
	io.Writer
	gz     *gzip.Writer
	status int
}

// bad: a struct between has it, as in gin-contrib/gzip, and a literal puts it back.
func compressed(r *request) {
	gz := writers.Get().(*gzip.Writer)
	gz.Reset(r.w)
	zw := &zipped{Writer: r.w, gz: gz}
	r.w = zw // want "OCT002: gz outlives its release"
	defer func() {
		if zw.status >= 400 {
			gz.Reset(io.Discard)
		}
		gz.Close()
		writers.Put(gz)
	}()
	r.handle()
}

// bad: it goes back by a call after the others.
func (z *zips) compressedAfter(hr *http.Request, next http.Handler, w http.ResponseWriter) {
	b := z.pool.Get().(*bytes.Buffer)
	b.Reset()
	io.Copy(b, hr.Body)
	hr.Body = io.NopCloser(b) // want "OCT002: b outlives its release"
	next.ServeHTTP(w, hr)
	z.pool.Put(b)
}

type zips struct {
	pool sync.Pool
	cur  *bytes.Buffer
	n    int
}

// ok: a literal gives the request its writer back.
func restored(r *request) {
	b := bodies.Get().(*bytes.Buffer)
	b.Reset()
	old := r.w
	r.w = b
	defer func() {
		r.w = old
		old.Write(b.Bytes())
		bodies.Put(b)
	}()
	r.next(r)
}

// ok: so does a helper.
func restoredByHelper(r *request) {
	b := bodies.Get().(*bytes.Buffer)
	b.Reset()
	old := r.w
	r.w = b
	r.next(r)
	r.setWriter(old)
	bodies.Put(b)
}

func (r *request) setWriter(w io.Writer) { r.w = w }

// ok: the request keeps the buffer where the handlers say so.
func kept(r *request, keep bool) {
	b := bodies.Get().(*bytes.Buffer)
	b.Reset()
	r.w = b
	r.next(r)
	if !keep {
		bodies.Put(b)
	}
}
