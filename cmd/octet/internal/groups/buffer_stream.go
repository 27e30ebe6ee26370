package groups

import (
	"bytes"
	"io"
	"runtime"
	"strconv"

	libp2p "github.com/libp2p/go-buffer-pool"
	"github.com/valyala/bytebufferpool"

	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// streamRow measures reading a mebibyte to its end and writing it.
func streamRow() contest.Row {
	const size = 1 << 20
	text := make([]byte, size)
	readers := make(chan *bytes.Reader, runtime.GOMAXPROCS(0)) // one for each goroutine
	for range cap(readers) {
		readers <- new(bytes.Reader)
	}
	return contest.Row{
		Name:  "op=ReadFrom+WriteTo/size=" + strconv.Itoa(size),
		Bytes: size,
		Contestants: []contest.Contestant{
			bufferContestant(bufferOurs, func() func(int) {
				return func(n int) {
					r := <-readers
					for range n {
						r.Reset(text)
						b := buffer.Get()
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
						b.Release()
					}
					readers <- r
				}
			}),
			bufferContestant(bufferStd, func() func(int) {
				p := newStdPool()
				return func(n int) {
					r := <-readers
					for range n {
						r.Reset(text)
						b := p.Get().(*bytes.Buffer)
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
						b.Reset()
						p.Put(b)
					}
					readers <- r
				}
			}),
			bufferContestant(bufferFasthttp, func() func(int) {
				p := new(bytebufferpool.Pool)
				return func(n int) {
					r := <-readers
					for range n {
						r.Reset(text)
						b := p.Get()
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
						p.Put(b)
					}
					readers <- r
				}
			}),
			bufferContestant(bufferLibp2p, func() func(int) {
				p := new(libp2p.BufferPool)
				return func(n int) {
					r := <-readers
					for range n {
						r.Reset(text)
						b := libp2p.Buffer{Pool: p}
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
						b.Reset()
					}
					readers <- r
				}
			}),
			bufferContestant(bufferFresh, func() func(int) {
				return func(n int) {
					r := <-readers
					for range n {
						r.Reset(text)
						var b bytes.Buffer
						b.ReadFrom(r)
						b.WriteTo(io.Discard)
					}
					readers <- r
				}
			}),
		},
	}
}
