// Package fixed takes packets that were sent with parity packets beside them, and
// computes the ones that were lost on the way.
package fixed

import (
	"container/heap"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
)

const (
	packetLimit = 1500
	headSize    = 6
	maxGroups   = 3

	kindData   = 0xf1
	kindParity = 0xf2
)

var packets = newPacketPool(packetLimit)

type packetPool struct {
	free sync.Pool
}

func newPacketPool(size int) *packetPool {
	return &packetPool{free: sync.Pool{New: func() any { return make([]byte, size) }}}
}

func (p *packetPool) Get() []byte { return p.free.Get().([]byte) }

func (p *packetPool) Put(b []byte) {
	if cap(b) != packetLimit {
		return
	}
	p.free.Put(b)
}

type packet []byte

func (p packet) seq() uint32  { return binary.LittleEndian.Uint32(p) }
func (p packet) kind() uint16 { return binary.LittleEndian.Uint16(p[4:]) }
func (p packet) data() []byte { return p[headSize:] }

// group has the packets of one group that have come so far.
type group struct {
	elements []packet
	seen     map[uint32]struct{}
}

func newGroup() *group {
	g := &group{seen: make(map[uint32]struct{})}
	heap.Init(g)
	return g
}

func (g *group) Len() int           { return len(g.elements) }
func (g *group) Less(i, j int) bool { return g.elements[i].seq() < g.elements[j].seq() }
func (g *group) Swap(i, j int)      { g.elements[i], g.elements[j] = g.elements[j], g.elements[i] }

func (g *group) Push(x any) {
	g.elements = append(g.elements, x.(packet))
	g.seen[x.(packet).seq()] = struct{}{}
}

func (g *group) Pop() any {
	n := len(g.elements)
	x := g.elements[n-1]
	g.elements = g.elements[:n-1]
	delete(g.seen, x.seq())
	return x
}

// A codec fills in the pieces that have length 0, within their capacity. Pieces
// that are nil are parity that did not come.
type codec interface {
	Reconstruct(pieces [][]byte) error
}

// xorCodec has one piece of parity: all the others, added up.
type xorCodec struct{}

func (xorCodec) Reconstruct(pieces [][]byte) error {
	missing := -1
	for i, p := range pieces {
		if len(p) == 0 {
			if missing >= 0 {
				return errors.New("too few pieces")
			}
			missing = i
		}
	}
	if missing < 0 || pieces[missing] == nil {
		return nil
	}
	for i, p := range pieces {
		if i == missing {
			continue
		}
		if len(pieces[missing]) == 0 {
			pieces[missing] = pieces[missing][:len(p)]
			clear(pieces[missing])
		}
		for j := range p {
			pieces[missing][j] ^= p[j]
		}
	}
	return nil
}

type stats struct {
	full, recovered, failed atomic.Uint64
}

type decoder struct {
	dataCount int
	size      int
	groups    map[uint32]*group
	newest    uint32
	codec     codec
	stats     stats

	pieces [][]byte
	came   []bool
}

func newDecoder(dataCount, parityCount int) *decoder {
	size := dataCount + parityCount
	return &decoder{
		dataCount: dataCount,
		size:      size,
		groups:    make(map[uint32]*group),
		codec:     xorCodec{},
		pieces:    make([][]byte, size),
		came:      make([]bool, size),
	}
}

// decode takes a packet, and gives the data that it helped to recover. Whoever calls
// puts that back.
func (d *decoder) decode(in packet) (recovered [][]byte) {
	id := in.seq() / uint32(d.size)
	g, ok := d.groups[id]
	if !ok {
		g = newGroup()
		d.groups[id] = g
	}
	if _, ok := g.seen[in.seq()]; ok {
		return nil
	}

	own := packet(packets.Get()[:len(in)])
	copy(own, in)
	g.Push(own)

	if g.Len() >= d.dataCount {
		pieces, came := d.pieces, d.came
		for k := range pieces {
			pieces[k] = nil
			came[k] = false
		}

		var popped []packet
		var dataCame, longest int
		for g.Len() > 0 {
			p := g.Pop().(packet)
			popped = append(popped, p)
			k := p.seq() % uint32(d.size)
			pieces[k] = p.data()
			came[k] = true
			if p.kind() == kindData {
				dataCame++
			}
			longest = max(longest, len(p.data()))
		}

		if dataCame == d.dataCount {
			d.stats.full.Add(1)
		} else {
			// All pieces have to be of one length.
			var added [][]byte
			for k := range pieces {
				if pieces[k] != nil {
					n := len(pieces[k])
					pieces[k] = pieces[k][:longest]
					clear(pieces[k][n:])
				} else if k < d.dataCount {
					pieces[k] = packets.Get()[:0]
					added = append(added, pieces[k])
				}
			}
			if err := d.codec.Reconstruct(pieces); err == nil {
				for k := range pieces[:d.dataCount] {
					if !came[k] {
						recovered = append(recovered, pieces[k])
					}
				}
			} else {
				d.stats.failed.Add(1)
				for _, b := range added {
					packets.Put(b)
				}
			}
			d.stats.recovered.Add(uint64(len(recovered)))
		}

		for _, p := range popped {
			packets.Put(p)
		}
	}

	if int32(id-d.newest) > 0 {
		d.newest = id
	}
	d.dropOld()
	return recovered
}

// dropOld forgets the groups that are too old to become complete.
func (d *decoder) dropOld() {
	for id, g := range d.groups {
		if int32(d.newest-id) > maxGroups {
			for _, p := range g.elements {
				packets.Put(p)
			}
			delete(d.groups, id)
		}
	}
}

type receiver struct {
	mu      sync.Mutex
	decoder *decoder
	deliver func(data []byte) // does not keep data
}

// input takes a packet that came from the network.
func (r *receiver) input(b []byte) {
	if len(b) < headSize || len(b) > packetLimit {
		return
	}
	p := packet(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	recovered := r.decoder.decode(p)
	if p.kind() == kindData {
		r.deliver(p.data())
	}
	for _, data := range recovered {
		r.deliver(data)
		packets.Put(data)
	}
}
