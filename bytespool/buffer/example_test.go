package buffer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// A buffer for as long as it takes to put a message together.
func Example() {
	b := buffer.Get()
	defer b.Release()

	b.WriteString("hello")
	fmt.Fprintf(b, ", %d worlds", 2)
	b.WriteByte('\n')
	b.WriteTo(os.Stdout)

	// Output:
	// hello, 2 worlds
}

// Buffers of one part of the program, whose memory shows in Stats by itself.
func ExamplePool() {
	pools := bytespool.NewPool(bytespool.WithSizes(64, 1<<20), bytespool.WithName("responses"))
	responses := buffer.NewPool(pools)
	b := responses.Get()
	b.WriteString(strings.Repeat("line\n", 10_000)) // it grows
	b.Release()

	b = responses.Get() // the same, which need not grow again
	fmt.Println(b.Cap() >= 50_000, pools.Stats().Name)
	b.Release()

	// Output:
	// true responses
}

// A handler that reads bodies of unknown length, and holds 1 MiB of them at most: the Buffer
// asks for what it grows by.
func ExamplePool_TryGet() {
	pools := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithName("bodies"), bytespool.WithLimit(1<<20))
	bodies := buffer.NewPool(pools)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := bodies.TryGet(16 << 10)
		if err == nil {
			defer b.Release()
			_, err = b.ReadFrom(r.Body)
		}
		switch {
		case errors.Is(err, bytespool.ErrLimit):
			http.Error(w, "too much at once", http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		default:
			fmt.Fprintf(w, "%d bytes", b.Len())
		}
	})

	for _, size := range []int{1000, 500_000, 2_000_000} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", size))))
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	fmt.Println(pools.Stats().Limit.InUse, "bytes are in use")

	// Output:
	// 200 1000 bytes
	// 200 500000 bytes
	// 503 too much at once
	// 0 bytes are in use
}

// A worker that waits for memory, but not for ever.
func ExamplePool_Acquire() {
	pools := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithLimit(1<<20))
	jobs := buffer.NewPool(pools)
	done := make(chan bool)
	for i := range 3 { // each with the whole limit, one after the other
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			b, err := jobs.Acquire(ctx, 1<<20)
			if err != nil {
				fmt.Println(err)
			} else {
				fmt.Fprint(b, i)
				b.Release()
			}
			done <- true
		}()
	}
	for range 3 {
		<-done
	}
	fmt.Println(pools.Stats().Limit.Peak, "bytes at most")

	// Output:
	// 1048576 bytes at most
}

// A packet is passed on without its header, and its memory comes back as a whole: slicing
// the header off, p[4:], would lose the pool the first bytes.
func ExampleBuffer_Next_front() {
	pools := bytespool.NewPool(bytespool.WithSizes(512, 64<<10), bytespool.WithName("packets"))
	packets := buffer.NewPool(pools)
	read := func() *buffer.Buffer {
		p := pools.New(1024)
		n := copy(p, "\x00\x00\x00\x07payload")
		b := packets.NewBuffer(p[:n])
		b.Next(4) // the header
		return b
	}

	b := read()
	fmt.Printf("%q\n", b.Bytes())
	b.Release()
	s := pools.Stats()
	fmt.Println(s.InUse, "in use,", s.IdleBytes, "bytes are idle")

	// Output:
	// "payload"
	// 0 in use, 1024 bytes are idle
}

// B is the content itself: any function that appends can be used.
func ExampleBuffer() {
	b := buffer.Make(64)
	b.WriteString("numbers:")
	for i := range 4 {
		b.B = fmt.Append(b.B, " ", i)
	}
	b.Truncate(len("numbers: 0 1"))
	fmt.Println(b)
	b.Release()

	// Output:
	// numbers: 0 1
}

// Every goroutine that uses the buffer has a reference, and the last one to
// release puts it back.
func ExampleBuffer_RefInc() {
	b := buffer.Get()
	b.WriteString("to all of you")
	var wg sync.WaitGroup
	for range 2 {
		b.RefInc()
		wg.Go(func() {
			defer b.Release()
			io.Copy(io.Discard, bytes.NewReader(b.Bytes()))
		})
	}
	b.Release()
	wg.Wait()

	// Output:
}

// The same bytes with two owners, who need not know of each other.
func ExampleBuffer_Share() {
	b := buffer.Get()
	b.WriteString("header body")
	b.Next(len("header "))
	s := b.Share()
	b.Release()

	fmt.Println(s)
	s.WriteString(" and more") // in an array of its own
	fmt.Println(s)
	s.Release()

	// Output:
	// body
	// body and more
}

// The array leaves the buffer without being copied.
func ExampleBuffer_Detach() {
	b := buffer.Get()
	b.WriteString("a message")
	message := b.Detach()
	b.Release()

	fmt.Printf("%s\n", message)
	bytespool.Release(message)

	// Output:
	// a message
}

// A request reads the content by a body of its own, so the buffer can be released or
// used again at any time.
func ExampleBuffer_Body() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d bytes announced: %s", r.ContentLength, body)
	}))
	defer s.Close()

	b := buffer.Get()
	b.WriteString("some text")
	defer b.Release()
	body := b.Body()
	req, err := http.NewRequest("POST", s.URL, body)
	if err != nil {
		body.Close()
		return
	}
	req.ContentLength, req.GetBody = body.Size(), body.GetBody
	resp, err := http.DefaultClient.Do(req) // closes the body
	if err != nil {
		return
	}
	defer resp.Body.Close()
	io.Copy(os.Stdout, resp.Body)

	// Output:
	// 9 bytes announced: some text
}
