package groups

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	libp2p "github.com/libp2p/go-buffer-pool"
	"github.com/valyala/bytebufferpool"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Buffer measures pooled buffers: writing to them, and how much memory the pool
// keeps.
func Buffer() contest.Group {
	g := contest.Group{
		Name: "buffer",
		About: "A buffer is taken from a pool, written to and released. The row op=Write is the benchmark Buffer_Write of fufuok/bytespool: " +
			"ten writes of 45 bytes to one buffer, then Reset, on GOMAXPROCS goroutines. " +
			"Size=mixed: 96 % of the buffers get 100 bytes and 4 % get 100 KiB, with one or a hundred in use (held); idle-B is what the pool keeps afterwards. " +
			"The row op=ReadFrom+WriteTo reads 1 MiB from a reader and writes it. " +
			"Each contestant has a new pool in every round of every row; a fresh bytes.Buffer is not pooled at all.",
	}
	g.Rows = append(g.Rows, seedWriteRow())
	for _, size := range []int{16, 32, 64, 1 << 10, 64 << 10} {
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

// bufferContestant returns a contestant whose runs share nothing: each begins
// with new pools, which every processor has used already. The function that
// makeDo returns is called by several goroutines at once.
func bufferContestant(name string, makeDo func() func(n int)) contest.Contestant {
	return contest.Contestant{Name: name, Ours: name == bufferOurs, Start: func() contest.Run {
		freshDefaultPools()
		do := makeDo()
		if name != bufferFresh {
			onAllProcessors(do)
		}
		return contest.Run{Do: do}
	}}
}

// freshDefaultPools replaces the pools that octet takes its buffers from.
func freshDefaultPools() {
	bytespool.DefaultCapacityPools = bytespool.NewCapacityPools(2, 4<<20)
}

// onAllProcessors calls do on every processor, so that a goroutine that moves
// to another one while it is measured finds that processor's part of the pool
// filled, as in a program that has run for a while.
func onAllProcessors(do func(n int)) {
	procs := int64(runtime.GOMAXPROCS(0))
	var begun atomic.Int64
	contest.Parallel(int(procs), func(n int) {
		for begun.Add(1); begun.Load() < procs; {
			// no yielding: it would let the others run on this processor
		}
		do(n)
	})(8 * int(procs))
}

func newStdPool() *sync.Pool { return &sync.Pool{New: func() any { return new(bytes.Buffer) }} }

// seedWriteRow measures goroutines that each write to one buffer, which they
// keep.
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

// bufferRow measures buffers that are taken, written to and released one after
// the other.
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

// heldRow measures a program with four buffers in use at a time.
func heldRow() contest.Row {
	const size, held = 1 << 10, 4
	text := make([]byte, size)
	return contest.Row{
		Name:  "op=Get+Write+Release/writes=1/size=" + strconv.Itoa(size) + "/held=" + strconv.Itoa(held),
		Bytes: size,
		Contestants: []contest.Contestant{
			start(bufferOurs, true, func() func(int) {
				freshDefaultPools()
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
			start(bufferStd, false, func() func(int) {
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
			start(bufferFasthttp, false, func() func(int) {
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
