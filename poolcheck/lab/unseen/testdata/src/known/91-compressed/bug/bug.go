// Package bug compresses the answers of a handler for clients that accept it.
package bug

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

const (
	headerVary            = "Vary"
	headerAcceptEncoding  = "Accept-Encoding"
	headerContentEncoding = "Content-Encoding"
)

var gzipWriterPool = sync.Pool{
	New: func() any { return gzip.NewWriter(nil) },
}

// A compressedWriter is a response writer whose body goes through another writer.
type compressedWriter struct {
	io.Writer
	http.ResponseWriter
}

func (w compressedWriter) Write(p []byte) (int, error) { return w.Writer.Write(p) }

// Compress wraps a handler so that the bodies of its answers are compressed.
func Compress(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add(headerVary, headerAcceptEncoding)

		if acceptsGzip(r) {
			gzw := gzipWriterPool.Get().(*gzip.Writer)
			gzw.Reset(w)
			defer gzw.Close()

			w.Header().Set(headerContentEncoding, "gzip")
			h.ServeHTTP(compressedWriter{gzw, w}, r)
			gzipWriterPool.Put(gzw)
		} else {
			h.ServeHTTP(w, r)
		}
	})
}

func acceptsGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get(headerAcceptEncoding), "gzip")
}
