package oct002

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
)

var addrs = sync.Pool{New: func() any { return new(net.UDPAddr) }}

func fillAddr(a *net.UDPAddr, to netip.AddrPort) *net.UDPAddr {
	a.IP = append(a.IP[:0], to.Addr().AsSlice()...)
	a.Port = int(to.Port())
	return a
}

// ok: the text of an error is a copy.
func sendNamed(c *net.UDPConn, to netip.AddrPort, p []byte) error {
	a := addrs.Get().(*net.UDPAddr)
	defer addrs.Put(a)
	if _, err := c.WriteToUDP(p, fillAddr(a, to)); err != nil {
		return fmt.Errorf("sending %d bytes: %v", len(p), err)
	}
	return nil
}

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

type badLine struct{ line []byte }

func (e *badLine) Error() string { return fmt.Sprintf("bad line %q", e.line) }

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
