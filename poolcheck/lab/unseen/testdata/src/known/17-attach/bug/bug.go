// Package bug puts the address of a packet before its content.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

const size = 2048

var pool = sync.Pool{New: func() any { return make([]byte, size) }}

// A buffer is a part of pooled bytes.
type buffer struct {
	v          []byte
	start, end int
}

func stackNew() buffer { return buffer{v: pool.Get().([]byte)} }

func (b *buffer) Clear() { b.start, b.end = 0, 0 }

func (b *buffer) Release() {
	if b == nil || b.v == nil {
		return
	}
	p := b.v
	b.v = nil
	b.Clear()
	pool.Put(p)
}

func (b *buffer) Bytes() []byte { return b.v[b.start:b.end] }
func (b *buffer) Len() int      { return b.end - b.start }

func (b *buffer) Write(p []byte) (int, error) {
	n := copy(b.v[b.end:], p)
	b.end += n
	return n, nil
}

func (b *buffer) readFull(r io.Reader, n int) error {
	m, err := io.ReadFull(r, b.v[b.end:b.end+n])
	b.end += m
	return err
}

var errAddress = errors.New("bad address")

func writeAddress(w io.Writer, ip net.IP, port int) error {
	kind := byte(2)
	if v4 := ip.To4(); v4 != nil {
		kind, ip = 1, v4
	}
	if len(ip) == 0 {
		return errAddress
	}
	if _, err := w.Write(append([]byte{kind}, ip...)); err != nil {
		return err
	}
	_, err := w.Write(binary.BigEndian.AppendUint16(nil, uint16(port)))
	return err
}

func attach(data []byte, address net.Addr) []byte {
	buf := stackNew()
	udp := address.(*net.UDPAddr)
	if err := writeAddress(&buf, udp.IP, udp.Port); err != nil {
		panic(err)
	}
	data = append(buf.Bytes(), data...)
	buf.Release()
	return data
}

func extract(data []byte, r io.Reader) ([]byte, net.Addr, error) {
	buf := stackNew()
	defer buf.Release()
	if err := buf.readFull(r, 1); err != nil {
		return nil, nil, err
	}
	n := net.IPv6len
	if buf.Bytes()[0] == 1 {
		n = net.IPv4len
	}
	if err := buf.readFull(r, n+2); err != nil {
		return nil, nil, err
	}
	p := buf.Bytes()[1:]
	addr := &net.UDPAddr{IP: append(net.IP(nil), p[:n]...), Port: int(binary.BigEndian.Uint16(p[n:]))}
	return data[buf.Len():], addr, nil
}
