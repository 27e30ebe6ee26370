package oct002

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
)

type upload struct {
	n   int64
	err error
}

// ok: what is stored is the error of a method of the buffer, and a number.
func (u *upload) readFrom(r io.Reader) {
	b := bufPool.Get().(*bytes.Buffer)
	defer bufPool.Put(b)
	b.Reset()
	u.n, u.err = b.ReadFrom(r)
}

type callKey struct{}

// A callInfo belongs to a call.
type callInfo struct {
	method string
	trace  []byte
}

var infos = sync.Pool{New: func() any { return new(callInfo) }}

// bad: the request that is returned has the information in its context.
func annotate(r *http.Request, method string) (*http.Request, context.CancelFunc) {
	info := infos.Get().(*callInfo)
	defer infos.Put(info)
	info.method = method
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), callKey{}, info))
	return r.WithContext(ctx), cancel // want "OCT002: .*info.*"
}
