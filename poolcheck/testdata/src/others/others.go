// Package others uses the pools of other modules that the table knows.
package others

import (
	"bytes"
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

// ok: put last.
func libp2pRight(w io.Writer) {
	p := pool.Get(16)
	defer pool.Put(p)
	clear(p)
	w.Write(p)
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

// ok: a copy does.
func bpoolClone() []byte {
	b := buffers.Get()
	defer buffers.Put(b)
	b.WriteString("x")
	return bytes.Clone(b.Bytes())
}

// bad: the error forgets the buffer.
func grpcForgets(data []byte, write func([]byte) error) error {
	b := mem.Copy(data, mem.DefaultBufferPool()) // want "OCT004: b is not released.*"
	if err := write(b.ReadOnlyData()); err != nil {
		return err
	}
	b.Free()
	return nil
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

// ok: String copies.
func zapString() string {
	line := lines.Get()
	defer line.Free()
	line.AppendString("x")
	return line.String()
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

// ok: a copy of the body is not.
func fasthttpCopy(url string) ([]byte, error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, err
	}
	return bytes.Clone(resp.Body()), nil
}

// ok: a request whose body is a part of the one that it had before.
func fasthttpRewritten(url string) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	for range 2 {
		req.SetBodyRaw(req.Body()[1:])
	}
	return fasthttp.Do(req, resp)
}

var answers octet.Pool

// bad: a Buffer of a pool of its own is read after it went back.
func answer(w io.Writer, s string) {
	b := answers.Get()
	b.WriteString(s)
	b.Release()
	w.Write(b.Bytes()) // want "OCT001: b is used.*"
}

// ok: where there is none there is nothing to release.
func answerIfRoom(w io.Writer, s string) error {
	b, err := answers.TryGet(len(s))
	if err != nil {
		return err
	}
	defer b.Release()
	b.WriteString(s)
	_, err = b.WriteTo(w)
	return err
}

// bad: the path of the error loses it.
func answerOrFail(w io.Writer, s string) error {
	b := answers.Get() // want "OCT004: b is not released.*"
	if _, err := io.WriteString(w, s); err != nil {
		return err
	}
	b.Release()
	return nil
}
