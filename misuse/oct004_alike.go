package main

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct004Alike = []program{
	{handedToGoroutine, "a goroutine releases what it is given"},
	{sentOverChannel, "the receiver of a channel releases"},
	{errorPathReleases, "every path releases, those with errors too"},
	{deferredRelease, "a defer releases, through a panic too"},
	{callbackReleases, "a callback releases"},
	{heldAcrossCollections, "a slice is held through collections and then released"},
	{subSliceHeld, "a sub-slice keeps the slice through collections"},
	{keptByProgram, "a cache keeps its slices for the life of the program"},
	{adoptedByBuffer, "NewBuffer takes the slice over"},
	{appendResultUsed, "bytespool.Append's result replaces its argument"},
	{sizesChanged, "InitDefaultPools and SetCapacity while slices are in use"},
}

func handedToGoroutine() {
	var wg sync.WaitGroup
	for range 16 {
		b := bytespool.New(777)
		wg.Go(func() {
			defer bytespool.Release(b)
			b[0] = 1
		})
	}
	wg.Wait()
}

func sentOverChannel() {
	work := make(chan []byte, 8)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for b := range work {
				b[0]++
				bytespool.Release(b)
			}
		})
	}
	for i := range 2000 {
		work <- bytespool.New(1 + i)
	}
	close(work)
	wg.Wait()
}

func loadOrRelease(r io.Reader, n int) ([]byte, error) {
	b := bytespool.New(n)
	if _, err := io.ReadFull(r, b); err != nil {
		bytespool.Release(b)
		return nil, err
	}
	return b, nil
}

func errorPathReleases() {
	for _, s := range []string{"short", "long enough for it"} {
		if b, err := loadOrRelease(strings.NewReader(s), 10); err == nil {
			bytespool.Release(b)
		}
	}
}

func deferredRelease() {
	for range 10 {
		func() {
			defer func() { use(recover()) }()
			buf := buffer.Get()
			defer buf.Release()
			panic(errors.New("in the middle"))
		}()
	}
}

func callbackReleases() {
	each := func(n int, f func([]byte)) {
		for range n {
			f(bytespool.New(48))
		}
	}
	each(100, func(b []byte) { bytespool.Release(b) })
}

func heldAcrossCollections() {
	b := bytespool.New(1000)
	buf := buffer.NewString("held too")
	r := buf.GetReader()
	for range 4 {
		runtime.GC()
		b[0]++
	}
	buf.PutReader(r)
	buf.Release()
	bytespool.Release(b)
}

func subSliceHeld() {
	b := bytespool.New(4096)
	b[100] = 7
	middle := b[100:200]
	for range 4 {
		runtime.GC()
	}
	if middle[0] != 7 {
		panic("changed while in use")
	}
	kept = middle // for good: only the whole could be released
}

func keptByProgram() {
	cache := map[int][]byte{}
	for i := range 100 {
		cache[i] = bytespool.New(64)
	}
	kept = cache
	runtime.GC()
}

func adoptedByBuffer() {
	b := bytespool.New(300)
	buf := buffer.NewBuffer(b[:0])
	buf.WriteString("in the memory of b")
	buf.Release()
}

func appendResultUsed() {
	b := bytespool.Make(8)
	for range 1000 {
		b = bytespool.Append(b, []byte("0123456789")...)
		b = bytespool.AppendString(b, "\n")
	}
	if len(b) != 11000 {
		panic("lost content")
	}
	bytespool.Release(b)
}

func sizesChanged() {
	defer bytespool.InitDefaultPools(bytespool.MinSize(), bytespool.MaxSize()) // for the programs that follow
	b, c := bytespool.New(100), bytespool.New(1<<20)
	buf := buffer.NewString("from the first pools")
	bytespool.InitDefaultPools(256, 64<<10)
	buffer.SetCapacity(128, 32<<10)
	buf.WriteString(strings.Repeat(" grown", 100))
	d := bytespool.New(300)
	other := buffer.Get(20000)
	for range 100 {
		other.WriteString("from the second")
	}
	buf.Release()
	other.Release()
	for _, b := range [][]byte{b, c, d} {
		b[0] = 1
		bytespool.Release(b)
	}
}
