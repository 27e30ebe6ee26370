// Package goroutines has code in which goroutines work on pooled memory, and that is right.
package goroutines

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: the goroutine is waited for.
func fireAndWait(c net.Conn, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Write(msg)
	}()
	<-done
	bytespool.Release(msg)
}

// ok: fanned out and waited for.
func fanOutWait(conns []net.Conn, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	var wg sync.WaitGroup
	for _, c := range conns {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.Write(msg)
		}()
	}
	wg.Wait()
	bytespool.Release(msg)
}

// ok: WaitGroup.Go, waited for.
func fanOutGo(conns []net.Conn, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	var wg sync.WaitGroup
	for _, c := range conns {
		wg.Go(func() { c.Write(msg) })
	}
	wg.Wait()
	bytespool.Release(msg)
}

// ok: the goroutine has a reference of its own.
func callWithReference(ctx context.Context, c net.Conn, text string) error {
	req := buffer.NewString(text)
	defer req.Release()
	errc := make(chan error, 1)
	req.RefInc()
	go func() {
		_, err := req.WriteTo(c)
		req.Release()
		errc <- err
	}()
	select {
	case err := <-errc:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ok: the timer's function releases.
func retryLaterOwned(c net.Conn, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	time.AfterFunc(time.Second, func() {
		c.Write(msg)
		bytespool.Release(msg)
	})
}

// ok: io.Pipe's writer goroutine puts.
func pipeBodyRight(v []string) io.Reader {
	body := bufPool.Get().(*bytes.Buffer)
	body.Reset()
	for _, s := range v {
		body.WriteString(s)
	}
	pr, pw := io.Pipe()
	go func() {
		_, err := body.WriteTo(pw)
		bufPool.Put(body)
		pw.CloseWithError(err)
	}()
	return pr
}

// ok: the goroutine is started after the release and does not see the memory.
func startAfter(r io.Reader) {
	head := bytespool.New(16)
	n, _ := r.Read(head)
	bytespool.Release(head)
	go log.Printf("read %d", n)
}

type writer struct {
	c    net.Conn
	jobs chan []byte
}

func (w *writer) write(j []byte) { w.c.Write(j) }

// ok: one receive for each goroutine.
func fullyJoined(conns [2]net.Conn, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	errs := make(chan error)
	for _, c := range conns {
		go func() {
			_, err := c.Write(msg)
			errs <- err
		}()
	}
	for range conns {
		<-errs
	}
	bytespool.Release(msg)
}
