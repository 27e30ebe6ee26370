package buffer_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/testenv"
	"github.com/octet-go/octet/pooltest"
)

var posts = flag.Int("posts", 4, "how many requests each of 32 goroutines makes in TestBodiesOfRequests, for each protocol and mode")

// Buffers are sent by many goroutines, with early answers, redirects, retries and
// requests that are given up. No request carries another's content, and in the end no
// memory is in use.
func TestBodiesOfRequests(t *testing.T) {
	for _, mode := range []checked.Mode{checked.Off, checked.Full} {
		for _, version := range []int{1, 2} {
			t.Run(fmt.Sprintf("HTTP %d, mode %v", version, mode), func(t *testing.T) {
				if mode != checked.Off {
					stop, err := checked.Start(checked.Options{Mode: mode})
					if err != nil {
						t.Fatal(err)
					}
					defer stop()
					defer checked.Handle(func(r *checked.Report) { t.Error(r) })()
				}
				pools := bytespool.NewPool(bytespool.WithSizes(64, 64<<10))
				pooltest.NoLeaks(t, pools)
				sendBodies(t, buffer.NewPool(pools), version)
				// A transport may close a body some time after it has answered.
				testenv.Eventually(t, "no slice is in use", func() bool { return pools.Stats().InUse == 0 })
			})
		}
	}
}

func sendBodies(t *testing.T, buffers *buffer.Pool, version int) {
	var retried atomic.Int64
	s := httptest.NewUnstartedServer(bodyServer(t, version, &retried))
	protocols := new(http.Protocols)
	protocols.SetHTTP1(version == 1)
	protocols.SetUnencryptedHTTP2(version == 2)
	s.Config.Protocols = protocols
	s.Start()
	defer s.Close()
	transport := &http.Transport{Protocols: protocols, MaxIdleConnsPerHost: 32}
	defer transport.CloseIdleConnections()
	c := &http.Client{Transport: transport}

	var wg sync.WaitGroup
	var seq atomic.Int64
	for range 32 {
		wg.Go(func() {
			for range *posts {
				if err := sendBody(c, buffers, s.URL, version, seq.Add(1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if retried.Load() == 0 {
		t.Error("no request was sent again")
	}
}

// fillBody returns n bytes that are those of request id alone.
func fillBody(b io.Writer, id int64, n int) {
	p := bytes.Repeat([]byte(fmt.Sprintf("request %d;", id)), 1+n/10)
	b.Write(p[:n])
}

func sum(p []byte) string {
	h := fnv.New64a()
	h.Write(p)
	return strconv.FormatUint(h.Sum64(), 16)
}

func sendBody(c *http.Client, buffers *buffer.Pool, url string, version int, id int64) error {
	b := buffers.Get()
	fillBody(b, id, rand.IntN(2)*rand.IntN(100<<10)+rand.IntN(1000)) // some are larger than the pool's slices
	want := sum(b.Bytes())
	kind := []string{"echo", "early", "redirect", "retry", "cancel"}[rand.IntN(5)]

	body := b.Body()
	ctx := context.Background()
	if kind == "cancel" {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rand.IntN(2000))*time.Microsecond)
		defer cancel()
	}
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/"+kind, body)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", want) // so that it is sent again
	again := kind == "redirect" || kind == "retry" || rand.IntN(2) == 0
	if again {
		req.ContentLength, req.GetBody = body.Size(), body.GetBody
	}
	overwrite := func() {
		b.Reset()
		fillBody(b, -id, 5000) // of another request
	}
	switch {
	case again:
		defer b.Release()
		defer overwrite()
	case rand.IntN(2) == 0:
		b.Release()
	default:
		defer b.Release()
		overwrite()
	}

	resp, err := c.Do(req)
	if err != nil {
		switch {
		case kind == "early", kind == "cancel", kind == "retry" && version == 1:
			return nil // the server closes the connection, which may come before its answer
		case version == 2 && !again:
			return nil // the server refused it, and it cannot be sent again
		case errors.Is(err, context.DeadlineExceeded):
			return nil // the request that used the connection before was cancelled: rare, net/http's
		}
		return fmt.Errorf("%s: %w", kind, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	switch {
	case kind == "cancel":
	case err != nil:
		return fmt.Errorf("%s: %w", kind, err)
	case kind == "early" && resp.StatusCode != http.StatusRequestEntityTooLarge,
		kind != "early" && (resp.StatusCode != http.StatusOK || string(answer) != want):
		return fmt.Errorf("%s: answer %s, %s; want %s", kind, resp.Status, answer, want)
	}
	return nil
}

// bodyServer answers with the sum of what it receives, which must be what the client
// says. It counts the requests that it makes the client send again.
func bodyServer(t *testing.T, version int, retried *atomic.Int64) http.Handler {
	mux := http.NewServeMux()
	echo := func(w http.ResponseWriter, r *http.Request) {
		p, err := io.ReadAll(r.Body)
		if err != nil {
			return // given up
		}
		got := sum(p)
		if want := r.Header.Get("Idempotency-Key"); got != want {
			t.Errorf("%s: a body of %d bytes, %.40q, has the sum %s, want %s", r.URL.Path, len(p), p, got, want)
		}
		io.WriteString(w, got)
	}
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/cancel", echo)
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		if rand.IntN(2) == 0 {
			io.Copy(io.Discard, r.Body)
		}
		http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
		retried.Add(1)
	})
	var broken sync.Map // what was not answered once
	mux.HandleFunc("/retry", func(w http.ResponseWriter, r *http.Request) {
		switch _, again := broken.LoadOrStore(r.Header.Get("Idempotency-Key"), true); {
		case again:
			retried.Add(1)
		case version == 2 && rand.IntN(20) == 0:
			w.Header().Set("Connection", "close") // requests that come now are refused
		case version == 2:
		default: // a client sends the request again if the connection was used before
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
			}
			c.Close()
			return
		}
		echo(w, r)
	})
	return mux
}
