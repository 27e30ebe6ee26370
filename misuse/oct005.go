package main

import (
	"context"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// The programs order release and use by channels, so that what they show does
// not depend on chance. In a real one it does.
var oct005 = class{
	code:  "OCT005",
	title: "race after release",
	kinds: []kind{
		{
			what: "another goroutine still reads",
			found: found{
				guard: faulted(afterRelease),
				race:  dataRace,
				asan:  poison,
			},
			programs: []program{
				{loggerStillReads, "a logger reads a line after its request ended"},
				{handedByHelper, "a helper gives a line to a logger, and its caller releases it"},
				{broadcastWithoutReference, "subscribers read a Buffer that the publisher released"},
			},
		},
		{
			what: "another goroutine still writes",
			found: found{
				sample: logged(writtenAfter).given(sampledLeaving),
				full:   panicked(writtenAfter).given(onLeaving),
				guard:  faulted(afterRelease),
				race:   dataRace,
				asan:   poison,
			},
			programs: []program{
				{timeoutReleases, "the caller gives up and releases, the worker goes on"},
				{afterFuncReleases, "context.AfterFunc releases under its user"},
			},
		},
	},
	alike: oct005Alike,
}

// hand gives a line to whoever receives it.
func hand(lines chan<- []byte, line []byte) { lines <- line }

func handedByHelper() {
	lines := make(chan []byte)
	ended := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		line := <-lines
		<-ended
		use(line[0]) // now
	})
	b := append(bytespool.Make(len("GET / 200")), "GET / 200"...) // acquired
	hand(lines, b)
	bytespool.Release(b) // released
	close(ended)
	wg.Wait()
}

func loggerStillReads() {
	lines := make(chan []byte)
	ended := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		line := <-lines
		<-ended
		use(line[0]) // now
	})
	b := append(bytespool.Make(9), "GET / 200"...) // acquired
	lines <- b
	bytespool.Release(b) // released
	close(ended)
	wg.Wait()
}

func broadcastWithoutReference() {
	buf := buffer.Get() // acquired
	buf.WriteString("tick tock")
	released := make(chan bool)
	var wg sync.WaitGroup
	for range 3 {
		p := buf.Bytes()
		wg.Go(func() {
			<-released
			use(p[0]) // now
		})
	}
	buf.Release() // released
	close(released)
	wg.Wait()
}

// timeoutReleases releases the slice although the worker has not answered.
func timeoutReleases() {
	ctx, cancel := context.WithCancel(context.Background())
	released := make(chan bool)
	done := make(chan bool)
	b := bytespool.New(1024) // acquired
	go func() {
		defer close(done)
		<-released
		b[0] = 'x' // now
	}()
	cancel()
	select {
	case <-ctx.Done():
		bytespool.Release(b) // released
		close(released)
	case <-done:
		bytespool.Release(b)
	}
	<-done
}

func afterFuncReleases() {
	ctx, cancel := context.WithCancel(context.Background())
	released := make(chan bool)
	b := bytespool.New(512) // acquired
	context.AfterFunc(ctx, func() {
		bytespool.Release(b) // released
		close(released)
	})
	cancel()
	<-released
	copy(b, "too late") // now
}
