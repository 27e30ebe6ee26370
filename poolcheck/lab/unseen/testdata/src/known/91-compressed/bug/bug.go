// Package bug compresses the answers of a handler for clients that accept it.
package bug

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

const (
	headerVary            = "Vary"
	headerAcceptEncoding  = "Accept-Encoding"
	headerContentEncoding = "Content-Encoding"

	defaultQuality = 1.0
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

// A codings has the quality of each coding that a client names.
type codings map[string]float64

func acceptsGzip(r *http.Request) bool {
	accepted, _ := parseCodings(r.Header.Get(headerAcceptEncoding))
	return accepted["gzip"] > 0
}

// parseCodings parses a list of codings. With an error it returns those that could be
// parsed.
func parseCodings(s string) (codings, error) {
	all := make(codings)
	var errs []error
	for _, part := range strings.Split(s, ",") {
		coding, quality, err := parseCoding(part)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all[coding] = quality
	}
	return all, errors.Join(errs...)
}

// parseCoding parses a coding, which may have a quality.
func parseCoding(s string) (coding string, quality float64, err error) {
	quality = defaultQuality
	for i, part := range strings.Split(s, ";") {
		part = strings.TrimSpace(part)
		if i == 0 {
			coding = strings.ToLower(part)
			continue
		}
		value, ok := strings.CutPrefix(part, "q=")
		if !ok {
			continue
		}
		if quality, err = strconv.ParseFloat(value, 64); err != nil {
			return "", 0, fmt.Errorf("quality of %s: %w", coding, err)
		}
		quality = min(max(quality, 0), 1)
	}
	if coding == "" {
		return "", 0, errors.New("a coding has no name")
	}
	return coding, quality, nil
}

// NewServer returns a server that compresses what the handlers answer.
func NewServer(addr string, handlers map[string]http.Handler) *http.Server {
	mux := http.NewServeMux()
	for pattern, h := range handlers {
		mux.Handle(pattern, Compress(h))
	}
	return &http.Server{Addr: addr, Handler: mux}
}
