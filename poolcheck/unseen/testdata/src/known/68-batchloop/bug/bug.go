// Package bug answers the packets of a network device, many at a time.
package bug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"os"
	"sync"
)

const (
	packetSize = 64 << 10
	headroom   = 4
	minIPv4    = 20
	minIPv6    = 40
)

const (
	protoICMP = 1
	protoTCP  = 6
	protoUDP  = 17
)

var arrays = sync.Pool{New: func() any { return make([]byte, packetSize) }}

// A buffer has content between start and end.
type buffer struct {
	data       []byte
	start, end int
	managed    bool
}

func newPacket() *buffer {
	return &buffer{data: arrays.Get().([]byte), start: headroom, end: packetSize, managed: true}
}

func (b *buffer) Len() int       { return b.end - b.start }
func (b *buffer) Bytes() []byte  { return b.data[b.start:b.end] }
func (b *buffer) Truncate(n int) { b.end = b.start + n }

func (b *buffer) Release() {
	if b == nil || !b.managed {
		return
	}
	arrays.Put(b.data)
	*b = buffer{}
}

func releaseAll(list []*buffer) {
	for _, b := range list {
		b.Release()
	}
}

// A device reads and writes single packets.
type device interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
}

// A batchDevice reads and writes many. The caller releases what it gets, and
// what it had written.
type batchDevice interface {
	device
	BatchRead() ([]*buffer, error)
	BatchWrite(list []*buffer) error
}

// A kernel fills as many of the packets as it has, and tells their sizes.
type kernel interface {
	Receive(packets [][]byte, sizes []int) (int, error)
	Send(packet []byte) error
}

type nativeDevice struct {
	kernel  kernel
	waiting []*buffer // for the next packets
	packets [][]byte
	sizes   []int
	read    []*buffer
}

func newDevice(k kernel, batch int) *nativeDevice {
	return &nativeDevice{
		kernel:  k,
		waiting: make([]*buffer, batch),
		packets: make([][]byte, batch),
		sizes:   make([]int, batch),
	}
}

func (d *nativeDevice) Read(p []byte) (int, error) {
	var size [1]int
	_, err := d.kernel.Receive([][]byte{p}, size[:])
	return size[0], err
}

func (d *nativeDevice) Write(p []byte) (int, error) { return len(p), d.kernel.Send(p) }

func (d *nativeDevice) BatchRead() ([]*buffer, error) {
	for i, b := range d.waiting {
		if b == nil {
			b = newPacket()
			d.waiting[i] = b
		}
		d.packets[i] = b.Bytes()
	}
	n, err := d.kernel.Receive(d.packets, d.sizes)
	if err != nil {
		return nil, err
	}
	list := d.read[:0]
	for i := range n {
		b := d.waiting[i]
		d.waiting[i] = nil
		b.Truncate(d.sizes[i])
		list = append(list, b)
	}
	d.read = list
	return list, nil
}

func (d *nativeDevice) BatchWrite(list []*buffer) error {
	for _, b := range list {
		if err := d.kernel.Send(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (d *nativeDevice) Close() {
	releaseAll(d.waiting)
	clear(d.waiting)
}

type stack struct {
	device device
	own    netip.Addr
	nat    map[netip.AddrPort]netip.AddrPort
	udp    func(packet []byte) error
}

func (s *stack) loop() {
	if d, ok := s.device.(batchDevice); ok {
		s.batchLoop(d)
		return
	}
	buf := make([]byte, packetSize)
	for {
		n, err := s.device.Read(buf)
		if err != nil {
			if errors.Is(err, os.ErrClosed) {
				return
			}
			log.Printf("reading a packet: %v", err)
		}
		if n < minIPv4 {
			continue
		}
		if s.process(buf[:n]) {
			if _, err := s.device.Write(buf[:n]); err != nil {
				log.Printf("writing a packet: %v", err)
			}
		}
	}
}

func (s *stack) batchLoop(d batchDevice) {
	var back []*buffer
	for {
		list, err := d.BatchRead()
		if err != nil {
			if errors.Is(err, os.ErrClosed) {
				return
			}
			log.Printf("reading packets: %v", err)
		}
		if len(list) == 0 {
			continue
		}
		back = back[:0]
		for _, b := range list {
			if b.Len() < minIPv4 {
				continue
			}
			if s.process(b.Bytes()) {
				back = append(back, b)
			} else {
				b.Release()
			}
		}
		if len(back) > 0 {
			if err := d.BatchWrite(back); err != nil {
				log.Printf("writing packets: %v", err)
			}
		}
	}
}

// process tells whether the packet, which it may change, is to be written back.
func (s *stack) process(p []byte) bool {
	var back bool
	var err error
	switch version := p[0] >> 4; version {
	case 4:
		back, err = s.processIPv4(p)
	case 6:
		if len(p) < minIPv6 {
			err = errors.New("packet too short")
		} else if p[6] == protoUDP {
			err = s.udp(p)
		}
	default:
		err = fmt.Errorf("version %d", version)
	}
	if err != nil {
		log.Print(err)
		return false
	}
	return back
}

func (s *stack) processIPv4(p []byte) (bool, error) {
	dst := netip.AddrFrom4([4]byte(p[16:20]))
	if !dst.IsGlobalUnicast() {
		return true, nil
	}
	head := int(p[0]&15) * 4
	switch p[9] {
	case protoUDP:
		return false, s.udp(p)
	case protoTCP:
		if len(p) < head+20 {
			return false, errors.New("segment too short")
		}
		to, ok := s.nat[netip.AddrPortFrom(dst, binary.BigEndian.Uint16(p[head+2:]))]
		if !ok {
			return false, nil
		}
		copy(p[16:20], to.Addr().AsSlice())
		binary.BigEndian.PutUint16(p[head+2:], to.Port())
		return true, nil
	case protoICMP:
		return dst == s.own, nil
	}
	return false, nil
}
