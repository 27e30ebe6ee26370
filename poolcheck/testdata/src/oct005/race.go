// Package oct005 holds memory that is released while another goroutine still
// works on it, and code that looks like it and is not.
package oct005

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: the goroutine may not have written yet.
func fireAndRelease(c net.Conn, text string) {
	msg := bytespool.NewString(text)
	go func() {
		c.Write(msg)
	}()
	bytespool.Release(msg) // want "OCT005: .*msg.*"
}

// ok: the goroutine releases when it is done.
func fireAndForget(c net.Conn, text string) {
	msg := bytespool.NewString(text)
	go func() {
		c.Write(msg)
		bytespool.Release(msg)
	}()
}

// ok: the goroutine is waited for.
func fireAndWait(c net.Conn, text string) {
	msg := bytespool.NewString(text)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Write(msg)
	}()
	<-done
	bytespool.Release(msg)
}


// ok: the goroutine gets a copy.
func auditCopy(w http.ResponseWriter, r *http.Request, audit io.Writer) {
	body := bytespool.Get(1024)
	defer bytespool.Release(body)
	n, _ := r.Body.Read(body)
	go audit.Write(bytes.Clone(body[:n]))
	w.WriteHeader(http.StatusAccepted)
}

// ok: the goroutine gets a string, which the conversion copied.
func auditString(w http.ResponseWriter, r *http.Request) {
	body := bytespool.Get(1024)
	defer bytespool.Release(body)
	n, _ := r.Body.Read(body)
	go log.Print(string(body[:n]))
	w.WriteHeader(http.StatusAccepted)
}


// ok: fanned out and waited for.
func fanOutWait(conns []net.Conn, text string) {
	msg := bytespool.NewString(text)
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
	msg := bytespool.NewString(text)
	var wg sync.WaitGroup
	for _, c := range conns {
		wg.Go(func() { c.Write(msg) })
	}
	wg.Wait()
	bytespool.Release(msg)
}


// ok: the deferred wait runs before the deferred release.
func deferredWait(conns []net.Conn, text string) {
	msg := bytespool.NewString(text)
	defer bytespool.Release(msg)
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, c := range conns {
		wg.Go(func() { c.Write(msg) })
	}
}



// ok: on timeout the goroutine is the one that releases.
func readTimeoutRight(c net.Conn, d time.Duration) (int, bool) {
	got := make(chan int, 1)
	go func() {
		in := bytespool.Get(4096)
		n, _ := c.Read(in)
		bytespool.Release(in)
		got <- n
	}()
	select {
	case n := <-got:
		return n, true
	case <-time.After(d):
		return 0, false
	}
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

// ok: Share says the same in one word.
func callWithShare(c net.Conn, text string) {
	req := buffer.NewString(text)
	go func(b *buffer.Buffer) {
		b.WriteTo(c)
		b.Release()
	}(req.Share())
	req.Release()
}


// ok: the worker answers when it is done with the job.
func sendAndAwait(text string) {
	jobs := make(chan []byte)
	done := make(chan struct{})
	go func() {
		for j := range jobs {
			log.Print(string(j))
			done <- struct{}{}
		}
	}()
	job := bytespool.NewString(text)
	jobs <- job
	<-done
	bytespool.Release(job)
	close(jobs)
}


// ok: the timer's function releases.
func retryLaterOwned(c net.Conn, text string) {
	msg := bytespool.NewString(text)
	time.AfterFunc(time.Second, func() {
		c.Write(msg)
		bytespool.Release(msg)
	})
}

// bad: io.Pipe's writer goroutine reads from the buffer that went back.
func pipeBody(v []string) io.Reader {
	body := bufPool.Get().(*bytes.Buffer)
	body.Reset()
	for _, s := range v {
		body.WriteString(s)
	}
	pr, pw := io.Pipe()
	go func() {
		_, err := body.WriteTo(pw)
		pw.CloseWithError(err)
	}()
	bufPool.Put(body) // want "OCT005: .*body.*"
	return pr
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

// ok: a goroutine in each direction has a buffer of its own.
func proxy(a, b net.Conn) {
	var wg sync.WaitGroup
	for _, p := range [2][2]net.Conn{{a, b}, {b, a}} {
		wg.Add(1)
		go func(dst, src net.Conn) {
			defer wg.Done()
			buf := bytespool.Get(32 << 10)
			defer bytespool.Release(buf)
			io.CopyBuffer(dst, src, buf)
		}(p[0], p[1])
	}
	wg.Wait()
}

// bad: both directions share a buffer that the first to end releases.
func proxyShared(a, b net.Conn) {
	buf := bytespool.Get(32 << 10)
	go func() {
		io.CopyBuffer(a, b, buf)
	}()
	io.CopyBuffer(b, a, buf[:16<<10])
	bytespool.Release(buf) // want "OCT005: .*buf.*"
}

// ok: the goroutine is started after the release and does not see the memory.
func startAfter(r io.Reader) {
	head := bytespool.Get(16)
	n, _ := r.Read(head)
	bytespool.Release(head)
	go log.Printf("read %d", n)
}

// ok: the goroutine only looks at the length.
func lengthOnly(r io.Reader, text string) {
	msg := bytespool.NewString(text)
	size := len(msg)
	go func() { log.Print(size) }()
	bytespool.Release(msg)
}

type writer struct {
	c    net.Conn
	jobs chan []byte
}

// ok: the loop that owns what it receives.
func (w *writer) loop() {
	for j := range w.jobs {
		w.c.Write(j)
		mcache.Free(j)
	}
}

// ok: a method of the type receives and frees.
func (w *writer) post(text string) {
	j := mcache.Malloc(len(text))
	copy(j, text)
	w.jobs <- j
}

// bad: the method that runs in the background reads mcache memory freed here.
func (w *writer) postAsync(text string) {
	j := mcache.Malloc(len(text))
	copy(j, text)
	go w.write(j)
	mcache.Free(j) // want "OCT005: .*j.*"
}

func (w *writer) write(j []byte) { w.c.Write(j) }


// ok: one receive for each goroutine.
func fullyJoined(conns [2]net.Conn, text string) {
	msg := bytespool.NewString(text)
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

// ok: a timer whose Stop reported true does not run its function.
func stoppedTimer(c net.Conn, text string) {
	msg := bytespool.NewString(text)
	timer := time.AfterFunc(time.Second, func() { c.Write(msg) })
	if timer.Stop() {
		bytespool.Release(msg)
	}
}

// ok: the timer's function releases, unless it was stopped in time.
func stoppedOrReleased(text string) {
	msg := bytespool.NewString(text)
	timer := time.AfterFunc(time.Second, func() { bytespool.Release(msg) })
	if !timer.Stop() {
		return
	}
	bytespool.Release(msg)
}


