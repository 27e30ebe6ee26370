package oct003

import (
	"context"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// bad: two goroutines release the same memory.
func twoGoroutines() {
	p := bytespool.Get(64)
	go func() { bytespool.Release(p) }()
	go func() { bytespool.Release(p) }() // want "OCT003: p is released twice.*"
}

// ok: only one of two goroutines is started.
func oneOfTwo(late bool) {
	p := bytespool.Get(64)
	if late {
		go func() { bytespool.Release(p) }()
	} else {
		go func() { p[0] = 1; bytespool.Release(p) }()
	}
}

func reader(b *buffer.Buffer) {
	println(b.Len())
	b.Release()
}

// ok: a reference for each goroutine, in a loop of its own.
func countedForGoroutines(n int) {
	b := buffer.Get()
	for range n {
		b.RefInc()
	}
	for range n {
		go reader(b)
	}
	b.Release()
}

// ok: a reference for each call, in a loop of its own.
func countedForCalls(n int) {
	b := buffer.Get()
	for range n {
		b.RefInc()
	}
	for range n {
		reader(b)
	}
	b.Release()
}

type referrer struct {
	b    *buffer.Buffer
	refs int
}

func (c *referrer) release() {
	for ; c.refs > 0; c.refs-- {
		c.b.Release()
	}
	c.b.Release()
}

// ok: each has counted its own references.
func releaseCounted(all []*referrer) {
	for _, c := range all {
		c.release()
	}
}

type frame struct{ p []byte }

func (f *frame) free() {
	bytespool.Release(f.p)
	f.p = nil
}

func newFrame() *frame {
	f := &frame{bytespool.Get(64)}
	f.p[0] = 1
	return f
}

// ok: a method value is the release.
func boundReleases(ctx context.Context, wg *sync.WaitGroup) {
	a, b, c := newFrame(), newFrame(), newFrame()
	wg.Go(a.free)
	time.AfterFunc(time.Second, b.free)
	context.AfterFunc(ctx, c.free)
}

// ok: method values in a list are.
func listedReleases() {
	a, b := newFrame(), newFrame()
	releases := []func(){a.free, b.free}
	defer func() {
		for _, release := range releases {
			release()
		}
	}()
	println(a.p[0], b.p[0])
}
