package groups

import (
	"bytes"
	"strconv"

	libp2p "github.com/libp2p/go-buffer-pool"
	"github.com/valyala/bytebufferpool"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// mixedRow measures mostly small and a few large contents, with that many
// buffers in use at a time.
func mixedRow(held int) contest.Row {
	small, large := make([]byte, 100), make([]byte, 100<<10)
	const every = 25 // 4 %
	text := func(i int) []byte {
		if i%every == 0 {
			return large
		}
		return small
	}
	return contest.Row{
		Name: "op=Get+Write+Release/size=mixed/held=" + strconv.Itoa(held),
		Contestants: []contest.Contestant{
			{Name: bufferOurs, Ours: true, Start: func() contest.Run {
				freshDefaultPools()
				bs := make([]*buffer.Buffer, held)
				next := 0
				return contest.Run{
					Do: func(n int) {
						for range n {
							b := &bs[next%held]
							if *b != nil {
								(*b).Release()
							}
							*b = buffer.Get()
							(*b).Write(text(next))
							next++
						}
					},
					Metrics: func() map[string]float64 {
						for _, b := range bs {
							b.Release()
						}
						return map[string]float64{"idle-B": float64(bytespool.DefaultCapacityPools.Stats().IdleBytes)}
					},
				}
			}},
			{Name: bufferStd, Start: func() contest.Run {
				p := newStdPool()
				p.New = nil
				bs := make([]*bytes.Buffer, held)
				next := 0
				return contest.Run{
					Do: func(n int) {
						for range n {
							b := &bs[next%held]
							if *b != nil {
								(*b).Reset()
								p.Put(*b)
							}
							if *b, _ = p.Get().(*bytes.Buffer); *b == nil {
								*b = new(bytes.Buffer)
							}
							(*b).Write(text(next))
							next++
						}
					},
					Metrics: func() map[string]float64 {
						idle := 0
						for _, b := range bs {
							if b != nil {
								idle += b.Cap()
							}
						}
						//poolcheck:ignore OCT004 it empties the pool
						for b, ok := p.Get().(*bytes.Buffer); ok; b, ok = p.Get().(*bytes.Buffer) {
							idle += b.Cap()
						}
						return map[string]float64{"idle-B": float64(idle)}
					},
				}
			}},
			{Name: bufferFasthttp, Start: func() contest.Run {
				p := new(bytebufferpool.Pool)
				bs := make([]*bytebufferpool.ByteBuffer, held)
				next := 0
				return contest.Run{
					Do: func(n int) {
						for range n {
							b := &bs[next%held]
							if *b != nil {
								p.Put(*b)
							}
							*b = p.Get()
							(*b).Write(text(next))
							next++
						}
					},
				}
			}},
			{Name: bufferLibp2p, Start: func() contest.Run {
				p := new(libp2p.BufferPool)
				bs := make([]libp2p.Buffer, held)
				next := 0
				return contest.Run{
					Do: func(n int) {
						for range n {
							b := &bs[next%held]
							b.Reset()
							*b = libp2p.Buffer{Pool: p}
							b.Write(text(next))
							next++
						}
					},
				}
			}},
			{Name: bufferFresh, Start: func() contest.Run {
				bs := make([]bytes.Buffer, held)
				next := 0
				return contest.Run{
					Do: func(n int) {
						for range n {
							b := &bs[next%held]
							*b = bytes.Buffer{}
							b.Write(text(next))
							next++
						}
					},
				}
			}},
		},
	}
}
