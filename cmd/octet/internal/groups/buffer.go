package groups

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/valyala/bytebufferpool"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Buffer measures pooled buffers.
func Buffer() contest.Group {
	large := func(int) []byte { return largeText[:1<<10] }
	return contest.Group{
		Name: "buffer",
		About: "A buffer is taken from a pool, written to and released. Size=mixed: 96 % of the buffers get 100 bytes and 4 % get 100 KiB, with one or a hundred in use (held). " +
			"Each contestant has a new pool in every round of every row; a fresh bytes.Buffer is not pooled at all.",
		Rows: []contest.Row{
			bufferRow(1, 64), bufferRow(1, 1<<10), bufferRow(1, 64<<10), bufferRow(64, 64),
			inUseRow("writes=1/size=1024", 4, large), inUseRow("writes=1/size=1024", 32, large),
			inUseRow("size=mixed", 1, mixed), inUseRow("size=mixed", 100, mixed),
		},
	}
}

// newBuffers returns a Pool with pools as large as the default ones.
func newBuffers() *buffer.Pool { return buffer.NewPool(bytespool.NewPool()) }

func newStdPool() *sync.Pool { return &sync.Pool{New: func() any { return new(bytes.Buffer) }} }

func newFasthttpPool() *bytebufferpool.Pool { return new(bytebufferpool.Pool) }

// bufferRow measures buffers that are taken, written to and released one after
// the other.
func bufferRow(writes, size int) contest.Row {
	text := make([]byte, size)
	return contest.Row{
		Name: fmt.Sprintf("op=Get+Write+Release/writes=%d/size=%d", writes, size),
		Contestants: []contest.Contestant{
			contestant("octet/buffer", newBuffers, func(p *buffer.Pool, n int) {
				for range n {
					b := p.Get()
					for range writes {
						b.Write(text)
					}
					b.Release()
				}
			}),
			contestant("sync.Pool of bytes.Buffer", newStdPool, func(p *sync.Pool, n int) {
				for range n {
					b := p.Get().(*bytes.Buffer)
					for range writes {
						b.Write(text)
					}
					b.Reset()
					p.Put(b)
				}
			}),
			contestant("bytebufferpool", newFasthttpPool, func(p *bytebufferpool.Pool, n int) {
				for range n {
					b := p.Get()
					for range writes {
						b.Write(text)
					}
					p.Put(b)
				}
			}),
			stateless("bytes.Buffer, fresh", func(n int) {
				for range n {
					var b bytes.Buffer
					for range writes {
						b.Write(text)
					}
				}
			}),
		},
	}
}

// users have buffers of a pool, from one call of a loop to the next.
type users[P, B any] struct {
	pool *P
	held []*B
}

// holding returns what opens a pool with users of so many buffers.
func holding[P, B any](open func() *P, n int) func() *users[P, B] {
	return func() *users[P, B] { return &users[P, B]{open(), make([]*B, n)} }
}

// inUseRow measures programs with several buffers in use at a time, which replace the
// oldest. text returns what the i-th gets.
func inUseRow(what string, held int, text func(i int) []byte) contest.Row {
	return contest.Row{
		Name: fmt.Sprintf("op=Get+Write+Release/%s/held=%d", what, held),
		Contestants: []contest.Contestant{
			contestant("octet/buffer", holding[buffer.Pool, buffer.Buffer](newBuffers, held), func(u *users[buffer.Pool, buffer.Buffer], n int) {
				for i := range n {
					b := &u.held[i%held]
					if *b != nil {
						(*b).Release()
					}
					*b = u.pool.Get()
					(*b).Write(text(i))
				}
			}),
			contestant("sync.Pool of bytes.Buffer", holding[sync.Pool, bytes.Buffer](newStdPool, held), func(u *users[sync.Pool, bytes.Buffer], n int) {
				for i := range n {
					b := &u.held[i%held]
					if *b != nil {
						(*b).Reset()
						u.pool.Put(*b)
					}
					*b = u.pool.Get().(*bytes.Buffer)
					(*b).Write(text(i))
				}
			}),
			contestant("bytebufferpool", holding[bytebufferpool.Pool, bytebufferpool.ByteBuffer](newFasthttpPool, held), func(u *users[bytebufferpool.Pool, bytebufferpool.ByteBuffer], n int) {
				for i := range n {
					b := &u.held[i%held]
					if *b != nil {
						u.pool.Put(*b)
					}
					*b = u.pool.Get()
					(*b).Write(text(i))
				}
			}),
			stateless("bytes.Buffer, fresh", func(n int) {
				bs := make([]bytes.Buffer, held)
				for i := range n {
					b := &bs[i%held]
					*b = bytes.Buffer{}
					b.Write(text(i))
				}
			}),
		},
	}
}

var smallText, largeText = make([]byte, 100), make([]byte, 100<<10)

// mixed returns mostly small texts, and 4 % large ones.
func mixed(i int) []byte {
	if i%25 == 0 {
		return largeText
	}
	return smallText
}
