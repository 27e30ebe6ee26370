package main

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct005Alike = []program{
	{waitedFor, "released after Wait"},
	{lastOneReleases, "the goroutine that is done last releases"},
	{timeoutHandsOver, "after a timeout the worker releases"},
	{underMutex, "use and release under one lock"},
	{processorsChange, "GOMAXPROCS changes while goroutines get and release"},
	{timerStopped, "the timer is stopped before the release"},
}

func waitedFor() {
	b := bytespool.New(1 << 16)
	var wg sync.WaitGroup
	for i := range 8 {
		part := b[i<<13 : (i+1)<<13]
		wg.Go(func() { clear(part) })
	}
	wg.Wait()
	bytespool.Release(b)
}

func lastOneReleases() {
	buf := buffer.NewString("a page")
	buf.RefAdd(9)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			use(buf.Bytes()[1])
			buf.Release()
		})
	}
	wg.Wait()
}

func timeoutHandsOver() {
	ctx, cancel := context.WithCancel(context.Background())
	abandoned := make(chan bool, 1)
	done := make(chan bool)
	b := bytespool.New(1024)
	go func() {
		defer close(done)
		<-abandoned
		b[0] = 'x'
		bytespool.Release(b)
	}()
	cancel()
	<-ctx.Done()
	abandoned <- true
	<-done
}

func underMutex() {
	var mu sync.Mutex
	b := bytespool.New(100)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			b[i] = 1
			bytespool.Release(b)
			b = bytespool.New(100 + 100*i)
		})
	}
	wg.Wait()
	bytespool.Release(b)
}

func processorsChange() {
	n := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(n)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 200 {
				b := bytespool.New(1 + j*i)
				b[0] = byte(j)
				buf := buffer.Get()
				buf.WriteByte(b[0])
				runtime.Gosched()
				bytespool.Release(b)
				buf.Release()
			}
		})
	}
	for i := range 8 {
		runtime.GOMAXPROCS(1 + i)
	}
	wg.Wait()
}

func timerStopped() {
	b := bytespool.New(64)
	t := time.AfterFunc(time.Hour, func() { b[0] = 1 })
	if t.Stop() {
		bytespool.Release(b)
	}
}
