package oct002

import (
	"bytes"
	"io"
	"sync"

	"github.com/pkg/errors"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var wrapPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: what is returned beside an error is not looked at
func wrapNamed(r io.Reader) (buf *bytes.Buffer, err error) {
	buf = wrapPool.Get().(*bytes.Buffer)
	buf.Reset()
	if _, err = buf.ReadFrom(r); err != nil {
		wrapPool.Put(buf)
		err = errors.Wrap(err, "read")
		return
	}
	return
}

// ok: the same, with an error of its own
func wrapChecked(r io.Reader, limit int) (buf *bytes.Buffer, err error) {
	buf = wrapPool.Get().(*bytes.Buffer)
	buf.Reset()
	if _, err = buf.ReadFrom(r); err != nil {
		wrapPool.Put(buf)
		return buf, errors.WithStack(err)
	}
	if buf.Len() > limit {
		wrapPool.Put(buf)
		return buf, errors.Errorf("more than %d bytes", limit)
	}
	if limit == 0 {
		wrapPool.Put(buf)
		return buf, status.Error(codes.InvalidArgument, "no limit")
	}
	return
}

// bad: Close may not fail, and then the caller uses the buffer
func wrapClose(r io.ReadCloser) (buf *bytes.Buffer, err error) {
	buf = wrapPool.Get().(*bytes.Buffer)
	buf.Reset()
	if _, err = buf.ReadFrom(r); err != nil {
		wrapPool.Put(buf)
		return buf, errors.Wrap(r.Close(), "close") // want "OCT002: buf outlives its release"
	}
	return
}

// bad: the code may be OK
func wrapCode(r io.Reader, code codes.Code) (buf *bytes.Buffer, err error) {
	buf = wrapPool.Get().(*bytes.Buffer)
	buf.Reset()
	if _, err = buf.ReadFrom(r); err != nil {
		wrapPool.Put(buf)
		return buf, status.Error(code, err.Error()) // want "OCT002: buf outlives its release"
	}
	return
}
