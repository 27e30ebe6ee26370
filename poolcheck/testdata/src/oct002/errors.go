package oct002

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
)

var names = sync.Pool{New: func() any {
	b := make([]byte, 0, 128)
	return &b
}}

// ok: the name is a copy.
func openNamed(dir string, n int) error {
	b := names.Get().(*[]byte)
	defer names.Put(b)
	*b = fmt.Appendf((*b)[:0], "%s/%d", dir, n)
	return os.Remove(string(*b))
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
