package oct002

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"unsafe"
)

var addrs = sync.Pool{New: func() any { return new(net.UDPAddr) }}

func fillAddr(a *net.UDPAddr, to netip.AddrPort) *net.UDPAddr {
	a.IP = append(a.IP[:0], to.Addr().AsSlice()...)
	a.Port = int(to.Port())
	return a
}

// bad: the error of a write holds the address.
func sendTo(c net.PacketConn, to netip.AddrPort, p []byte) error {
	a := addrs.Get().(*net.UDPAddr)
	defer addrs.Put(a)
	_, err := c.WriteTo(p, fillAddr(a, to))
	return err // want "OCT002: .*a.*"
}

// bad: an error around it holds it, too.
func sendWrapped(c *net.UDPConn, to netip.AddrPort, p []byte) error {
	a := addrs.Get().(*net.UDPAddr)
	defer addrs.Put(a)
	if _, err := c.WriteToUDP(p, fillAddr(a, to)); err != nil {
		return fmt.Errorf("sending %d bytes: %w", len(p), err) // want "OCT002: .*a.*"
	}
	return nil
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

// ok: after an error the address stays with it.
func sendOrKeep(c *net.UDPConn, to netip.AddrPort, p []byte) error {
	a := addrs.Get().(*net.UDPAddr)
	_, err := c.WriteToUDP(p, fillAddr(a, to))
	if err == nil {
		addrs.Put(a)
	}
	return err
}

var names = sync.Pool{New: func() any {
	b := make([]byte, 0, 128)
	return &b
}}

// bad: the error of Open holds the name.
func openTemp(dir string, n int) error {
	b := names.Get().(*[]byte)
	defer names.Put(b)
	*b = fmt.Appendf((*b)[:0], "%s/%d", dir, n)
	return os.Remove(unsafe.String(unsafe.SliceData(*b), len(*b))) // want "OCT002: .*b.*"
}

// ok: the name is a copy.
func openNamed(dir string, n int) error {
	b := names.Get().(*[]byte)
	defer names.Put(b)
	*b = fmt.Appendf((*b)[:0], "%s/%d", dir, n)
	return os.Remove(string(*b))
}

type badLine struct{ line []byte }

func (e *badLine) Error() string { return fmt.Sprintf("bad line %q", e.line) }

func checkLine(line []byte) error {
	if len(line) == 0 || line[0] == '#' {
		return &badLine{line}
	}
	return nil
}

// bad: the error, and what wraps it, holds the line.
func readChecked(r io.Reader) error {
	b := names.Get().(*[]byte)
	defer names.Put(b)
	n, err := r.Read((*b)[:cap(*b)])
	if err != nil {
		return err
	}
	if err := checkLine((*b)[:n]); err != nil {
		return errors.Join(err, io.ErrUnexpectedEOF) // want "OCT002: .*b.*"
	}
	return nil
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
