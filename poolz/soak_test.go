package poolz_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"hash"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/testenv"
)

var soakFor = flag.Duration("soak", 0, "how long TestSoak takes; 0 for 2 s, or a tenth of that with -short")

// TestSoak has the proxy of the example serve four times as many clients as its limit allows, of which
// some are slow and some leave, before an upstream that dies and returns. No byte may be
// lost without an error, no buffer may leak or be misused, and memory must stay within
// the limit. Run it for minutes with
//
//	go test -race -run Soak ./poolz -soak 5m
func TestSoak(t *testing.T) {
	stop, err := checked.Start(checked.Options{Mode: checked.Sample, OneIn: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	defer checked.Handle(func(r *checked.Report) { t.Errorf("%v", r) })()

	upstream := newMortal(t)
	defer upstream.kill()
	const clients = 32
	const limit = clients / 4 * bufferSize
	p, address := startProxy(t, "http://"+upstream.address, limit, func(p *proxy) {
		p.ErrorLog = log.New(io.Discard, "", 0)
		p.forward.ErrorLog = p.ErrorLog
	})
	pool := p.pool

	var done atomic.Bool
	var count tally
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			c := client{r: rand.New(rand.NewPCG(uint64(i), 1)), chacha: rand.NewChaCha8([32]byte{byte(i)}), url: "http://" + address, count: &count, http: &http.Client{Transport: new(http.Transport)}}
			defer c.http.CloseIdleConnections()
			for !done.Load() {
				if problem := c.round(); problem != "" {
					t.Error(problem)
					return
				}
			}
		})
	}
	var memory, inUse int64
	soak := cmp.Or(*soakFor, time.Duration(testenv.Rounds(2000))*time.Millisecond)
	life := soak / 8
	for began := time.Now(); time.Since(began) < soak || !count.complete() && time.Since(began) < soak+time.Minute; {
		for born := time.Now(); time.Since(born) < life; time.Sleep(10 * time.Millisecond) {
			memory = max(memory, mapped())
			inUse = max(inUse, pool.Stats().Limit.InUse) // which is one number, and exact
		}
		upstream.kill()
		time.Sleep(life / 10)
		upstream.live(t)
	}
	done.Store(true)
	wg.Wait()

	t.Logf("%d answers were whole, %d came with an error, %d were left by the client, %d were 502, and %d 503; at most %d KiB of buffers and %d MiB of memory",
		count.whole.Load(), count.broken.Load(), count.left.Load(), count.dead.Load(), count.rejected.Load(), inUse>>10, memory>>20)
	if !count.complete() {
		t.Error("that is no soak")
	}
	if peak := pool.Stats().Limit.Peak; inUse > limit || peak > limit {
		t.Errorf("%d bytes of buffers were in use, or %d: more than the limit of %d", inUse, peak, limit)
	}
	if memory > 512<<20 {
		t.Errorf("%d MiB were in use: more than 512 MiB", memory>>20)
	}
	if err := p.stop(t.Context()); err != nil {
		t.Error(err)
	}
	if n := pool.Stats().InUse; n != 0 {
		t.Errorf("%d buffers are in use", n)
	}
	runtime.GC() // or leaks are not seen
	runtime.GC()
}

// mapped returns how many bytes the program has mapped and not returned.
func mapped() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}

// A tally counts how requests ended.
type tally struct{ whole, broken, left, dead, rejected atomic.Int64 }

// complete reports whether requests have ended in all ways. On a loaded machine that
// takes a while.
func (t *tally) complete() bool {
	return t.whole.Load() > 0 && t.broken.Load() > 0 && t.left.Load() > 0 && t.dead.Load() > 0 && t.rejected.Load() > 0
}

// A client sends one request after the other.
type client struct {
	r      *rand.Rand
	chacha *rand.ChaCha8
	url    string
	http   *http.Client
	count  *tally
}

// round sends a request and returns what must not be.
func (c *client) round() (problem string) {
	sent := make([]byte, c.r.IntN(1<<c.r.IntN(20)))
	c.chacha.Read(sent)
	r, err := c.http.Post(c.url, "application/octet-stream", bytes.NewReader(sent))
	if err != nil { // the upstream died while the request was on its way
		c.count.broken.Add(1)
		return ""
	}
	defer r.Body.Close()
	switch r.StatusCode {
	case http.StatusOK:
	case http.StatusBadGateway:
		c.count.dead.Add(1)
		time.Sleep(time.Millisecond)
		return ""
	case http.StatusServiceUnavailable:
		if r.Header.Get("Retry-After") == "" {
			return "the proxy does not say when to try again"
		}
		c.count.rejected.Add(1)
		time.Sleep(time.Millisecond)
		return ""
	default:
		return fmt.Sprintf("the proxy answers %s", r.Status)
	}
	sum := sha256.New()
	switch c.r.IntN(8) {
	case 0: // leaves
		io.CopyN(io.Discard, r.Body, int64(c.r.IntN(len(sent)+1)))
		c.count.left.Add(1)
		return ""
	case 1: // is slow
		err = crawl(sum, r.Body)
	default:
		_, err = io.Copy(sum, r.Body)
	}
	if err != nil {
		c.count.broken.Add(1)
		return ""
	}
	c.count.whole.Add(1)
	if want := fmt.Sprintf("%x", sha256.Sum256(sent)); fmt.Sprintf("%x", sum.Sum(nil)) != want || r.Header.Get("Digest") != want {
		return "bytes were lost or changed, and there was no error"
	}
	return ""
}

// crawl copies a little at a time.
func crawl(to hash.Hash, from io.Reader) error {
	for {
		_, err := io.CopyN(to, from, 16<<10)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// A mortal is a server that dies and lives again at the same address. It echoes, with a
// pause in the middle of each answer.
type mortal struct {
	address string
	server  *http.Server
	pausing atomic.Int64 // answers in their pause
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	m := &mortal{address: "127.0.0.1:0"}
	m.live(t)
	return m
}

func (m *mortal) live(t *testing.T) {
	t.Helper()
	var l net.Listener
	testenv.Eventually(t, "nobody has the address "+m.address, func() (ok bool) { // as any connection may for a while
		var err error
		l, err = net.Listen("tcp", m.address)
		return err == nil
	})
	m.address = l.Addr().String()
	m.server = &http.Server{Handler: m}
	go m.server.Serve(l)
}

func (m *mortal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Digest", fmt.Sprintf("%x", sha256.Sum256(b)))
	w.Write(b[:len(b)/2])
	w.(http.Flusher).Flush()
	m.pausing.Add(1)
	time.Sleep(10 * time.Millisecond)
	m.pausing.Add(-1)
	w.Write(b[len(b)/2:])
}

// kill closes all connections at once, in the middle of an answer if there is one soon.
func (m *mortal) kill() {
	for began := time.Now(); m.pausing.Load() == 0 && time.Since(began) < time.Second; {
		time.Sleep(time.Millisecond)
	}
	m.server.Close()
}
