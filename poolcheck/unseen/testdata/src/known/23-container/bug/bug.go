// Package bug sends what peers have queued, many packets at a time.
package bug

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

const (
	maxMessage    = 65535
	keepaliveSize = 32
)

// A waitPool limits how many objects are out.
type waitPool struct {
	pool  sync.Pool
	cond  sync.Cond
	lock  sync.Mutex
	count uint32
	max   uint32
}

func newWaitPool(max uint32, new func() any) *waitPool {
	p := &waitPool{pool: sync.Pool{New: new}, max: max}
	p.cond = sync.Cond{L: &p.lock}
	return p
}

func (p *waitPool) Get() any {
	if p.max != 0 {
		p.lock.Lock()
		for p.count >= p.max {
			p.cond.Wait()
		}
		p.count++
		p.lock.Unlock()
	}
	return p.pool.Get()
}

func (p *waitPool) Put(x any) {
	p.pool.Put(x)
	if p.max == 0 {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.count--
	p.cond.Signal()
}

type element struct {
	buffer *[maxMessage]byte
	packet []byte
	nonce  uint64
}

type container struct {
	sync.Mutex
	elems []*element
}

type device struct {
	buffers    *waitPool
	elements   *waitPool
	containers *waitPool
}

func newDevice(max uint32) *device {
	return &device{
		newWaitPool(max, func() any { return new([maxMessage]byte) }),
		newWaitPool(max, func() any { return new(element) }),
		newWaitPool(max, func() any { return &container{elems: make([]*element, 0, 128)} }),
	}
}

func (d *device) getContainer() *container {
	c := d.containers.Get().(*container)
	c.Mutex = sync.Mutex{}
	return c
}

func (d *device) putContainer(c *container) {
	clear(c.elems)
	c.elems = c.elems[:0]
	d.containers.Put(c)
}

func (d *device) putBuffer(b *[maxMessage]byte) { d.buffers.Put(b) }

func (d *device) putElement(e *element) {
	e.buffer, e.packet, e.nonce = nil, nil, 0
	d.elements.Put(e)
}

type peer struct {
	device   *device
	running  atomic.Bool
	outbound chan *container
	send     func(bufs [][]byte) error
}

var errNoEndpoint = errors.New("no endpoint")

func (p *peer) sequentialSender(batch int) {
	d := p.device
	bufs := make([][]byte, 0, batch)
	for c := range p.outbound {
		bufs = bufs[:0]
		if c == nil {
			return
		}
		if !p.running.Load() {
			// Nobody wants these any more.
			c.Lock()
			for _, e := range c.elems {
				d.putBuffer(e.buffer)
				d.putElement(e)
			}
			continue
		}
		data := false
		c.Lock()
		for _, e := range c.elems {
			if len(e.packet) != keepaliveSize {
				data = true
			}
			bufs = append(bufs, e.packet)
		}
		err := p.send(bufs)
		for _, e := range c.elems {
			d.putBuffer(e.buffer)
			d.putElement(e)
		}
		d.putContainer(c)
		if err != nil && !(errors.Is(err, errNoEndpoint) && !data) {
			log.Printf("sending %d packets: %v", len(bufs), err)
		}
	}
}

func (p *peer) stage(packet []byte, nonce uint64) {
	d := p.device
	c := d.getContainer()
	e := d.elements.Get().(*element)
	e.buffer = d.buffers.Get().(*[maxMessage]byte)
	e.nonce = nonce
	e.packet = e.buffer[:copy(e.buffer[:], packet)]
	c.elems = append(c.elems, e)
	p.outbound <- c
}
