// Package fixed sends packets to endpoints.
package fixed

import (
	"errors"
	"log"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
)

type endpoint struct {
	addr  netip.AddrPort
	relay string
}

// udpAddr fills a with ep's address.
func (ep endpoint) udpAddr(a *net.UDPAddr) *net.UDPAddr {
	ip := ep.addr.Addr()
	a.Port = int(ep.addr.Port())
	a.IP = append(a.IP[:0], ip.AsSlice()...)
	a.Zone = ip.Zone()
	return a
}

var errNoRelay = errors.New("no relay")

type conn struct {
	pconn4, pconn6 net.PacketConn
	noV4, noV6     atomic.Bool
	relay          func(name string, b []byte) bool
}

var udpAddrs = &sync.Pool{New: func() any { return new(net.UDPAddr) }}

func (c *conn) sendUDP(ep endpoint, b []byte) (sent bool, err error) {
	ua := udpAddrs.Get().(*net.UDPAddr)
	sent, err = c.sendStd(ep.udpAddr(ua), b)
	if err == nil {
		// An error may hold the address.
		udpAddrs.Put(ua)
	}
	return
}

func (c *conn) sendStd(addr *net.UDPAddr, b []byte) (sent bool, err error) {
	switch {
	case addr.IP.To4() != nil:
		_, err = c.pconn4.WriteTo(b, addr)
		if err != nil && c.noV4.Load() {
			return false, nil
		}
	case len(addr.IP) == net.IPv6len:
		if c.pconn6 == nil {
			return false, nil
		}
		_, err = c.pconn6.WriteTo(b, addr)
		if err != nil && (c.noV6.Load() || errors.Is(err, syscall.ENETUNREACH)) {
			return false, nil
		}
	default:
		panic("neither IPv4 nor IPv6")
	}
	return err == nil, err
}

func (c *conn) send(ep endpoint, b []byte) (sent bool, err error) {
	if ep.addr.IsValid() {
		return c.sendUDP(ep, b)
	}
	if !c.relay(ep.relay, b) {
		return false, errNoRelay
	}
	return true, nil
}

func (c *conn) sendAll(eps []endpoint, b []byte) (sent bool) {
	for _, ep := range eps {
		ok, err := c.send(ep, b)
		if err != nil {
			log.Printf("sending %d bytes: %v", len(b), err)
		}
		sent = sent || ok
	}
	return sent
}
