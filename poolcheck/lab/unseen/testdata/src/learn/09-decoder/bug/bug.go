// Package bug decompresses the bodies of requests with pooled decoders.
package bug

import (
	"io"
	"net/http"
	"sync"

	"github.com/klauspost/compress/zstd"
)

var decoders sync.Pool

type pooledBody struct{ inner *zstd.Decoder }

func (b *pooledBody) Read(p []byte) (int, error) {
	return b.inner.Read(p)
}

func (b *pooledBody) Close() error {
	err := b.inner.Reset(nil)
	if err != nil {
		return err
	}
	decoders.Put(b.inner)
	return nil
}

var bodyDecoders = map[string]func(io.ReadCloser) (io.ReadCloser, error){
	"": func(io.ReadCloser) (io.ReadCloser, error) { return nil, nil },
	"zstd": func(body io.ReadCloser) (io.ReadCloser, error) {
		v := decoders.Get()
		var d *zstd.Decoder
		var err error
		if v == nil {
			d, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1))
		} else {
			d = v.(*zstd.Decoder)
			err = d.Reset(body)
		}
		if err != nil {
			return nil, err
		}
		return &pooledBody{inner: d}, nil
	},
}

type decompressor struct{ next http.Handler }

func (d *decompressor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	decode, ok := bodyDecoders[r.Header.Get("Content-Encoding")]
	if !ok {
		http.Error(w, "unknown encoding", http.StatusUnsupportedMediaType)
		return
	}
	body, err := decode(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if body != nil {
		defer body.Close()
		r.Body = body
	}
	d.next.ServeHTTP(w, r)
}

func receive(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := r.Body.Close(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Write(data[:min(len(data), 16)])
}
