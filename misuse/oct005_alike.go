package main

import (
	"context"
	"runtime"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct005Alike = []program{
	{helperWaits, "a helper gives a line to another goroutine, and waits until that is done with it"},
	{lastOneReleases, "the goroutine that is done last releases"},
	{timeoutHandsOver, "after a timeout the worker releases"},
	{processorsChange, "GOMAXPROCS changes while goroutines get and release"},
}

func lastOneReleases() {
	buf := buffer.Get()
	buf.WriteString("a page")
	for range 9 {
		buf.RefInc()
	}
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

// handAndWait returns when whoever received a line is done with it.
func handAndWait(lines chan<- []byte, done <-chan bool, line []byte) {
	lines <- line
	<-done
}

func helperWaits() {
	lines := make(chan []byte)
	done := make(chan bool)
	go func() {
		line := <-lines
		use(line[0])
		done <- true
	}()
	b := append(bytespool.Make(len("GET / 200")), "GET / 200"...)
	handAndWait(lines, done, b)
	bytespool.Release(b)
}
