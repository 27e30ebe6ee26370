package bytespool_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/octet-go/octet/bytespool"
)

// quiet keeps the goroutine on one thread and the collector away, so that the
// last slice released is the next one handed out.
func quiet() (restore func()) {
	runtime.LockOSThread()
	procs, gc := runtime.GOMAXPROCS(1), debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(gc)
		runtime.GOMAXPROCS(procs)
		runtime.UnlockOSThread()
	}
}

func Example() {
	// A slice of length 1024.
	bs := bytespool.New(1024)
	fmt.Println("length", len(bs))
	bytespool.Release(bs)

	// Length 0 and room for 8 bytes, or more.
	bs = bytespool.Make(8)
	fmt.Println("length", len(bs), "room for 8:", cap(bs) >= 8)
	bs = append(bs, "abc"...)
	fmt.Printf("%s\n", bs)
	bytespool.Release(bs)

	// A copy.
	bs = append(bytespool.Make(3), "xyz"...)
	fmt.Printf("%s\n", bs)
	bytespool.Release(bs)

	// Output:
	// length 1024
	// length 0 room for 8: true
	// abc
	// xyz
}

// A released slice is handed out again, with what it held.
func Example_reuse() {
	defer quiet()()

	a := bytespool.Make(3)
	a = append(a, "123"...)
	bytespool.Release(a)

	b := bytespool.New(4) // a must not be used any more
	fmt.Printf("same array: %v, old bytes: %s\n", &a[0] == &b[0], b[:3])
	bytespool.Release(b)

	// Output:
	// same array: true, old bytes: 123
}

func ExampleNewPool() {
	p := bytespool.NewPool(bytespool.WithSizes(512, 4096))

	b := p.Make(10) // the smallest class
	fmt.Println(len(b), cap(b))
	p.Release(b)

	b = p.Make(4096)
	fmt.Println(len(b), cap(b))
	p.Release(b)

	b = p.New(10240) // above the largest class: allocated, and not kept
	fmt.Println(len(b), cap(b))
	p.Release(b)

	// Output:
	// 0 512
	// 0 4096
	// 10240 10240
}

func ExampleWithIdleBudget() {
	p := bytespool.NewPool(bytespool.WithSizes(1<<10, 1<<20), bytespool.WithIdleBudget(8<<20))
	for range 100 {
		p.Release(make([]byte, 1<<20))
	}
	fmt.Println(p.Stats().IdleBytes <= 8<<20)
	// Output:
	// true
}

func ExampleWithClear() {
	p := bytespool.NewPool(bytespool.WithSizes(8, 1024), bytespool.WithClear(bytespool.ClearOnGet))
	p.Release(p.Append(nil, []byte("secret")...))
	fmt.Println(p.New(8))
	// Output:
	// [0 0 0 0 0 0 0 0]
}

// With four classes a doubling, a message of 64 KiB with its header does not take
// twice the room.
func ExampleWithSteps() {
	const size = 64<<10 + 100
	plain := bytespool.NewPool(bytespool.WithSizes(512, 1<<20))
	steps := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithSteps(4))

	a, b := plain.New(size), steps.New(size)
	fmt.Println(cap(a), cap(b))
	plain.Release(a)
	steps.Release(b)
	// Output:
	// 131072 81920
}

// A pool of arrays, for an API that wants them.
func ExampleWithExactMax() {
	type Array = [65535]byte
	pools := bytespool.NewPool(bytespool.WithSizes(512, len(Array{})), bytespool.WithExactMax())

	a := (*Array)(pools.New(len(Array{})))
	fmt.Println(len(a), cap(a[:]))
	pools.Release(a[:])
	fmt.Println(pools.Stats().Puts, "put")
	// Output:
	// 65535 65535
	// 1 put
}

func ExamplePools() {
	p := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithName("uploads"))
	b := p.New(1000)
	for p := range bytespool.Pools() {
		if s := p.Stats(); s.Name == "uploads" {
			fmt.Println(s.Name, s.InUseBytes, "bytes in use")
		}
	}
	p.Release(b)
	// Output:
	// uploads 1024 bytes in use
}

// A service whose load comes in bursts, up to a minute apart, finds its pools as the
// last burst left them, whatever the number of collections between.
func ExampleWithRetain() {
	defer quiet()()

	p := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithRetain(time.Minute))
	p.Release(p.New(64 << 10))
	for range 5 {
		runtime.GC()
	}
	fmt.Println(p.Stats().IdleBytes)
	// Output:
	// 65536
}

func ExamplePool_Append() {
	p := bytespool.NewPool(bytespool.WithSizes(8, 1024))
	b := p.Make(8)
	b = p.Append(b, []byte("12345678")...)
	b = p.Append(b, '9') // moves to a larger slice, releases the old one
	fmt.Println(string(b), cap(b))
	p.Release(b)
	// Output:
	// 123456789 16
}

func ExamplePool_Stats() {
	defer quiet()()

	p := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithName("frames"))
	for range 10 {
		b := p.New(1000)
		p.Release(b)
	}
	s := p.Stats()
	fmt.Printf("%s: %d gets, %d hits, %d misses, %d in use, %d bytes idle\n",
		s.Name, s.Gets, s.Hits, s.Misses, s.InUse, s.IdleBytes)
	fmt.Println("freed", p.Trim())
	// Output:
	// frames: 10 gets, 9 hits, 1 misses, 0 in use, 1024 bytes idle
	// freed 1024
}

func ExampleBufPool() {
	backend := httptest.NewServer(nil)
	defer backend.Close()
	target, _ := url.Parse(backend.URL)

	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.BufferPool = bytespool.NewBufPool(256 << 10)

	front := httptest.NewServer(proxy)
	defer front.Close()
	resp, err := front.Client().Get(front.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	fmt.Println(resp.StatusCode)
	// Output:
	// 404
}

// A PointerPool is what grpc-go takes as a pool of buffers. contrib/grpc has a server.
func ExamplePointerPool() {
	pools := bytespool.NewPool(bytespool.WithSizes(2<<10, 4<<20), bytespool.WithName("grpc"))
	var pool interface { // mem.BufferPool of google.golang.org/grpc/mem
		Get(length int) *[]byte
		Put(*[]byte)
	} = bytespool.NewPointerPool(pools)

	b := pool.Get(5000)
	n := copy(*b, "a message")
	*b = (*b)[:n]
	fmt.Printf("%s; %d in use\n", *b, pools.Stats().InUse)
	pool.Put(b)
	fmt.Println(pools.Stats().InUse, "in use")
	// Output:
	// a message; 1 in use
	// 0 in use
}

// An Allocator is what arrow-go takes to allocate buffers. contrib/arrow builds record
// batches.
func ExampleAllocator() {
	pools := bytespool.NewPool(bytespool.WithSizes(64, 4<<20), bytespool.WithName("arrow"))
	var mem interface { // memory.Allocator of github.com/apache/arrow-go/v18/arrow/memory
		Allocate(size int) []byte
		Reallocate(size int, b []byte) []byte
		Free(b []byte)
	} = bytespool.NewAllocator(pools)

	b := mem.Allocate(3)
	copy(b, "abc")
	b = mem.Reallocate(5, b)
	fmt.Printf("%q\n", b)
	mem.Free(b)
	fmt.Println(pools.Stats().InUse, "in use")
	// Output:
	// "abc\x00\x00"
	// 0 in use
}

// Two pools that hold 1 MiB at most together.
func ExampleNewLimit() {
	memory := bytespool.NewLimit(1<<20, bytespool.WithName("memory"))
	frames := bytespool.NewPool(bytespool.WithSizes(512, 64<<10), bytespool.WithName("frames"), bytespool.WithSharedLimit(memory))
	files := bytespool.NewPool(bytespool.WithSizes(64<<10, 1<<20), bytespool.WithName("files"), bytespool.WithSharedLimit(memory))

	b, _ := files.TryNew(1 << 20)
	_, err := frames.TryNew(1000)
	fmt.Println(err)
	files.Release(b)
	c, err := frames.TryNew(1000)
	fmt.Println(len(c), err, memory.Stats().InUse)
	frames.Release(c)
	// Output:
	// bytespool: pool "frames": 1024 bytes asked for, 1048576 of 1048576 of limit "memory" in use or reserved: there is no room
	// 1000 <nil> 1024
}

// A slice that is kept for good, in a cache, does not come back to the pool.
func ExamplePool_Abandon() {
	pools := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithLimit(1<<20))
	cache := make(map[string][]byte)

	b, err := pools.TryNew(4096)
	if err != nil {
		return // busy
	}
	b = append(b[:0], "what was read"...)
	cache["key"] = b
	pools.Abandon(b) // the collector takes it when the cache lets go
	fmt.Printf("%s; %d in use\n", cache["key"], pools.Stats().Limit.InUse)
	// Output:
	// what was read; 0 in use
}

// One reservation covers all slices of a request, which waits for them before it begins
// and not in the middle, where it would hold some of them.
func ExamplePool_Reserve() {
	pools := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithName("images"), bytespool.WithLimit(1<<20))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	reservation, err := pools.Reserve(ctx, 300_000, 60_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer reservation.Release()
	fmt.Println(pools.Stats().Limit.Reserved, "bytes are set aside")

	image, _ := reservation.New(300_000)
	defer pools.Release(image)
	thumbnail, _ := reservation.New(60_000)
	defer pools.Release(thumbnail)
	fmt.Println(pools.Stats().Limit.InUse, "bytes are in use")
	// Output:
	// 589824 bytes are set aside
	// 589824 bytes are in use
}
