// Package others uses the pools of other modules that the table knows.
package others

import (
	"io"

	pool "github.com/libp2p/go-buffer-pool"
	octet "github.com/octet-go/octet/bytespool/buffer"
	"github.com/oxtoacart/bpool"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap/buffer"
	"google.golang.org/grpc/mem"
)

// bad: used after Put.
func libp2p(w io.Writer) {
	p := pool.Get(16)
	clear(p)
	pool.Put(p)
	w.Write(p) // want "OCT001: p is used.*"
}

// bad: put twice.
func libp2pTwice(q *pool.BufferPool) {
	p := q.Get(16)
	defer q.Put(p) // want "OCT003: p is released twice.*"
	q.Put(p)
}

var buffers = bpool.NewBufferPool(8)

// bad: the bytes outlive the Put.
func bpoolBytes() []byte {
	b := buffers.Get()
	defer buffers.Put(b)
	b.WriteString("x")
	return b.Bytes() // want "OCT002: b outlives.*"
}

// ok: a reference for each Free.
func grpcCounted(data []byte) {
	b := mem.Copy(data, mem.DefaultBufferPool())
	b.Ref()
	b.Free()
	b.Free()
}

// bad: one reference is not two.
func grpcTwice(data []byte) {
	b := mem.Copy(data, mem.DefaultBufferPool())
	b.Free()
	b.Free() // want "OCT003: b is released twice.*"
}

var lines = buffer.NewPool()

// bad: the line is read when it has been freed.
func zap(w io.Writer) {
	line := lines.Get()
	line.AppendString("x")
	p := line.Bytes()
	line.Free()
	w.Write(p) // want "OCT001: line is used.*"
}

// bad: the body is the response's.
func fasthttpBody(url string) ([]byte, error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, err
	}
	return resp.Body(), nil // want "OCT002: resp outlives.*"
}

var answers octet.Pool

// bad: the path of the error loses it.
func answerOrFail(w io.Writer, s string) error {
	b := answers.Get() // want "OCT004: b is not released.*"
	if _, err := io.WriteString(w, s); err != nil {
		return err
	}
	b.Release()
	return nil
}
