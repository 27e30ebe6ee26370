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

const (
	bufferOurs     = "octet/buffer"
	bufferStd      = "sync.Pool of bytes.Buffer"
	bufferFresh    = "bytes.Buffer, fresh"
	bufferFasthttp = "bytebufferpool"
)

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
			contestant(bufferOurs, newBuffers, func(p *buffer.Pool, n int) {
				for range n {
					b := p.Get()
					for range writes {
						b.Write(text)
					}
					b.Release()
				}
			}),
			contestant(bufferStd, newStdPool, func(p *sync.Pool, n int) {
				for range n {
					b := p.Get().(*bytes.Buffer)
					for range writes {
						b.Write(text)
					}
					b.Reset()
					p.Put(b)
				}
			}),
			contestant(bufferFasthttp, newFasthttpPool, func(p *bytebufferpool.Pool, n int) {
				for range n {
					b := p.Get()
					for range writes {
						b.Write(text)
					}
					p.Put(b)
				}
			}),
			stateless(bufferFresh, func(n int) {
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

// inUseRow measures programs with several buffers in use at a time, which replace the
// oldest. text returns what the i-th gets. Those that are in use in the end are left.
func inUseRow(what string, held int, text func(i int) []byte) contest.Row {
	return contest.Row{
		Name: fmt.Sprintf("op=Get+Write+Release/%s/held=%d", what, held),
		Contestants: []contest.Contestant{
			contestant(bufferOurs, newBuffers, func(p *buffer.Pool, n int) {
				bs := make([]*buffer.Buffer, held)
				for i := range n {
					b := &bs[i%held]
					if *b != nil {
						(*b).Release()
					}
					*b = p.Get()
					(*b).Write(text(i))
				}
			}),
			contestant(bufferStd, newStdPool, func(p *sync.Pool, n int) {
				bs := make([]*bytes.Buffer, held)
				for i := range n {
					b := &bs[i%held]
					if *b != nil {
						(*b).Reset()
						p.Put(*b)
					}
					*b = p.Get().(*bytes.Buffer)
					(*b).Write(text(i))
				}
			}),
			contestant(bufferFasthttp, newFasthttpPool, func(p *bytebufferpool.Pool, n int) {
				bs := make([]*bytebufferpool.ByteBuffer, held)
				for i := range n {
					b := &bs[i%held]
					if *b != nil {
						p.Put(*b)
					}
					*b = p.Get()
					(*b).Write(text(i))
				}
			}),
			stateless(bufferFresh, func(n int) {
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
