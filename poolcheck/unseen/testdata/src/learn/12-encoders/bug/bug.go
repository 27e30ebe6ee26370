// Package bug compresses responses that are long enough.
package bug

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

type encodingWriter struct {
	http.ResponseWriter
	status   int
	encoding string
	buf      *bytes.Buffer
	writer   io.Writer
	minSize  int
	gzips    *sync.Pool
	deflates *sync.Pool
}

func (w *encodingWriter) Write(p []byte) (int, error) {
	if w.writer != nil {
		return w.writer.Write(p)
	}
	w.buf.Write(p)
	if w.buf.Len() >= w.minSize {
		switch w.encoding {
		case "gzip":
			gz := w.gzips.Get().(*gzip.Writer)
			gz.Reset(w.ResponseWriter)
			w.writer = gz
		case "deflate":
			fl := w.deflates.Get().(*flate.Writer)
			fl.Reset(w.ResponseWriter)
			w.writer = fl
		}
		w.Header().Set("Content-Encoding", w.encoding)
		w.ResponseWriter.WriteHeader(w.status)
		if _, err := w.writer.Write(w.buf.Bytes()); err != nil {
			return 0, err
		}
		w.buf.Reset()
	}
	return len(p), nil
}

func (w *encodingWriter) WriteHeader(status int) { w.status = status }

func (w *encodingWriter) Close() {
	if w.buf.Len() > 0 && w.writer == nil {
		w.ResponseWriter.WriteHeader(w.status)
		w.ResponseWriter.Write(w.buf.Bytes())
	}
	if w.writer != nil {
		if wc, ok := w.writer.(io.WriteCloser); ok {
			wc.Close()
		}
	}
}

func compress(next http.Handler) http.Handler {
	bufs := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	gzips := sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}
	deflates := sync.Pool{New: func() any {
		w, _ := flate.NewWriter(io.Discard, flate.DefaultCompression)
		return w
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, enc := range []string{"gzip", "deflate"} {
			if strings.Contains(r.Header.Get("Accept-Encoding"), enc) {
				buf := bufs.Get().(*bytes.Buffer)
				buf.Reset()
				defer bufs.Put(buf)
				ew := &encodingWriter{
					ResponseWriter: w,
					status:         http.StatusOK,
					encoding:       enc,
					buf:            buf,
					minSize:        1400,
					gzips:          &gzips,
					deflates:       &deflates,
				}
				defer ew.Close()
				w = ew
				break
			}
		}
		next.ServeHTTP(w, r)
	})
}
