package groups

import (
	"bytes"
	"io"
	"runtime"
	"strconv"
	"sync"

	libp2p "github.com/libp2p/go-buffer-pool"
	"github.com/valyala/bytebufferpool"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Buffer measures buffers that come from a pool: what is written into them, and
// how much of their memory stays.
func Buffer() contest.Group {
	g := contest.Group{
		Name: "buffer",
		About: "A buffer is taken from a pool, written to and released. Write is the benchmark Buffer_Write of fufuok/bytespool: " +
			"ten writes of 45 bytes to one buffer, and Reset, on GOMAXPROCS goroutines. " +
			"Mixed: 96 % of the buffers get 100 bytes and 4 % get 100 KiB, one or a hundred at a time; idle-B is what the pool keeps after that. " +
			"Stream: ReadFrom a reader of 1 MiB, and WriteTo. " +
			"Each contestant has a fresh pool in every round of every row; fresh means that a buffer is dropped after use.",
	}
	g.Rows = append(g.Rows, seedWriteRow())
	for _, size := range []int{64, 1 << 10, 64 << 10} {
		g.Rows = append(g.Rows, bufferRow(1, size))
	}
	g.Rows = append(g.Rows, bufferRow(64, 64), heldRow(), mixedRow(1), mixedRow(100), streamRow())
	return g
}

const (
	bufferOurs     = "octet/buffer"
	bufferStd      = "sync.Pool of bytes.Buffer"
	bufferFresh    = "bytes.Buffer, fresh"
	bufferReused   = "bytes.Buffer"
	bufferFasthttp = "bytebufferpool"
	bufferLibp2p   = "go-buffer-pool"
)

// bufferContestant is a contestant whose runs share nothing: for octet, each
// begins with new default pools.
func bufferContestant(name string, do func() func(n int)) contest.Contestant {
	return contest.Contestant{Name: name, Ours: name == bufferOurs, Start: func() contest.Run {
		if name == bufferOurs {
			freshDefaultPools()
		}
		return contest.Run{Do: do()}
	}}
}

func freshDefaultPools() {
	bytespool.DefaultCapacityPools = bytespool.NewCapacityPools(2, 4<<20)
}

func newStdPool() *sync.Pool { return &sync.Pool{New: func() any { return new(bytes.Buffer) }} }

func seedWriteRow() contest.Row {
	text := []byte("  Fufu 中　文\u2728->?\n*\U0001F63A   ")
	parallel := func(do func(n int)) func() func(int) {
		return func() func(int) { return contest.Parallel(runtime.GOMAXPROCS(0), do) }
	}
	return contest.Row{
		Name:  "op=Write/mode=parallel",
		Bytes: 10 * int64(len(text)),
		Contestants: []contest.Contestant{
			bufferContestant(bufferOurs, parallel(func(n int) {
				b := buffer.Get()
				for range n {
					for range 10 {
						b.Write(text)
					}
					b.Reset()
				}
				b.Release()
			})),
			bufferContestant(bufferReused, parallel(func(n int) {
				var b bytes.Buffer
				for range n {
					for range 10 {
						b.Write(text)
					}
					b.Reset()
				}
			})),
			bufferContestant(bufferFasthttp, func() func(int) {
				p := new(bytebufferpool.Pool)
				return contest.Parallel(runtime.GOMAXPROCS(0), func(n int) {
					b := p.Get()
					for range n {
						for range 10 {
							b.Write(text)
						}
						b.Reset()
					}
					p.Put(b)
				})
			}),
			bufferContestant(bufferLibp2p, func() func(int) {
				p := new(libp2p.BufferPool)
				return contest.Parallel(runtime.GOMAXPROCS(0), func(n int) {
					b := libp2p.Buffer{Pool: p}
					for range n {
						for range 10 {
							b.Write(text)
						}
						b.Reset()
					}
				})
			}),
		},
	}
}

// bufferRow has one buffer after the other written to.
func bufferRow(writes, size int) contest.Row {
	text := make([]byte, size)
	return contest.Row{
		Name:  "op=Get+Write+Release/writes=" + strconv.Itoa(writes) + "/size=" + strconv.Itoa(size),
		Bytes: int64(writes * size),
		Contestants: []contest.Contestant{
			bufferContestant(bufferOurs, func() func(int) {
				return func(n int) {
					for range n {
						b := buffer.Get()
						for range writes {
							b.Write(text)
						}
						b.Release()
					}
				}
			}),
			bufferContestant(bufferStd, func() func(int) {
				p := newStdPool()
				return func(n int) {
					for range n {
						b := p.Get().(*bytes.Buffer)
						for range writes {
							b.Write(text)
						}
						b.Reset()
						p.Put(b)
					}
				}
			}),
			bufferContestant(bufferFasthttp, func() func(int) {
				p := new(bytebufferpool.Pool)
				return func(n int) {
					for range n {
						b := p.Get()
						for range writes {
							b.Write(text)
						}
						p.Put(b)
					}
				}
			}),
			bufferContestant(bufferLibp2p, func() func(int) {
				p := new(libp2p.BufferPool)
				return func(n int) {
					for range n {
						b := libp2p.Buffer{Pool: p}
						for range writes {
							b.Write(text)
						}
						b.Reset()
					}
				}
			}),
			bufferContestant(bufferFresh, func() func(int) {
				return func(n int) {
					for range n {
						var b bytes.Buffer
						for range writes {
							b.Write(text)
						}
					}
				}
			}),
		},
	}
}

// heldRow has four buffers in use at a time.
func heldRow() contest.Row {
	const size, held = 1 << 10, 4
	text := make([]byte, size)
	return contest.Row{
		Name:  "op=Get+Write+Release/writes=1/size=" + strconv.Itoa(size) + "/held=" + strconv.Itoa(held),
		Bytes: size,
		Contestants: []contest.Contestant{
			bufferContestant(bufferOurs, func() func(int) {
				var bs [held]*buffer.Buffer
				for i := range bs {
					bs[i] = buffer.Get()
				}
				return func(n int) {
					for i := range n {
						b := &bs[i%held]
						(*b).Release()
						*b = buffer.Get()
						(*b).Write(text)
					}
				}
			}),
			bufferContestant(bufferStd, func() func(int) {
				p := newStdPool()
				var bs [held]*bytes.Buffer
				for i := range bs {
					bs[i] = p.Get().(*bytes.Buffer)
				}
				return func(n int) {
					for i := range n {
						b := &bs[i%held]
						(*b).Reset()
						p.Put(*b)
						*b = p.Get().(*bytes.Buffer)
						(*b).Write(text)
					}
				}
			}),
			bufferContestant(bufferFasthttp, func() func(int) {
				p := new(bytebufferpool.Pool)
				var bs [held]*bytebufferpool.ByteBuffer
				for i := range bs {
					bs[i] = p.Get()
				}
				return func(n int) {
					for i := range n {
						b := &bs[i%held]
						p.Put(*b)
						*b = p.Get()
						(*b).Write(text)
					}
				}
			}),
		},
	}
}

// mixedRow has mostly small and a few large contents, with the given number of
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
							buffer.Put(b)
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
		},
	}
}

// streamRow reads a megabyte to its end and writes it.
func streamRow() contest.Row {
	const size = 1 << 20
	text := make([]byte, size)
	return contest.Row{
		Name:  "op=ReadFrom+WriteTo/size=" + strconv.Itoa(size),
		Bytes: size,
		Contestants: []contest.Contestant{
			bufferContestant(bufferOurs, func() func(int) {
				r := new(bytes.Reader)
				return func(n int) {
					for range n {
						r.Reset(text)
						b := buffer.Get()
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
						b.Release()
					}
				}
			}),
			bufferContestant(bufferStd, func() func(int) {
				p, r := newStdPool(), new(bytes.Reader)
				return func(n int) {
					for range n {
						r.Reset(text)
						b := p.Get().(*bytes.Buffer)
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
						b.Reset()
						p.Put(b)
					}
				}
			}),
			bufferContestant(bufferFasthttp, func() func(int) {
				p, r := new(bytebufferpool.Pool), new(bytes.Reader)
				return func(n int) {
					for range n {
						r.Reset(text)
						b := p.Get()
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
						p.Put(b)
					}
				}
			}),
			bufferContestant(bufferLibp2p, func() func(int) {
				p, r := new(libp2p.BufferPool), new(bytes.Reader)
				return func(n int) {
					for range n {
						r.Reset(text)
						b := libp2p.Buffer{Pool: p}
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
						b.Reset()
					}
				}
			}),
			bufferContestant(bufferFresh, func() func(int) {
				r := new(bytes.Reader)
				return func(n int) {
					for range n {
						r.Reset(text)
						var b bytes.Buffer
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
					}
				}
			}),
		},
	}
}
