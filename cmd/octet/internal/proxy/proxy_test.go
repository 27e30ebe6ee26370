package proxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests of signals run this test binary as octet proxy.
const becomeProxy = "OCTET_TEST_BECOME_PROXY"

func TestMain(m *testing.M) {
	if os.Getenv(becomeProxy) != "" {
		if err := Command().Execute(); err != nil {
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A running is a proxy that a test has started.
type running struct {
	url, admin string
	log        *buffer
	stop       context.CancelFunc // begins to stop it
	ended      chan error
}

// A buffer is what a log is written to.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

var listening = regexp.MustCompile(`msg=listening at=(\S+) .*admin=(\S+)`)

// start starts a proxy of an upstream, as flags change it.
func start(t testing.TB, to string, change ...func(*config)) *running {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	c := config{to: u, listen: "127.0.0.1:0", admin: "127.0.0.1:0", bufferSize: 32 << 10, retain: time.Minute, grace: 10 * time.Second}
	for _, f := range change {
		f(&c)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{log: new(buffer), stop: stop, ended: make(chan error, 1)}
	go func() { r.ended <- run(ctx, c, slog.New(slog.NewTextHandler(r.log, nil))) }()
	wait(t, "the proxy listens", func() bool {
		m := listening.FindStringSubmatch(r.log.String())
		if m != nil {
			r.url, r.admin = "http://"+m[1], "http://"+m[2]
		}
		return m != nil
	})
	t.Cleanup(stop)
	return r
}

// wait waits until something is true.
func wait(t testing.TB, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("after 20 s it is not true that %s", what)
		}
	}
}

// get returns the answer of a server, and its body.
func get(t testing.TB, address string) (*http.Response, string) {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(body)
}

// metric returns the value of a metric of the proxy, "" if it is not there.
func (r *running) metric(t testing.TB, name string) string {
	t.Helper()
	_, body := get(t, r.admin+"/metrics")
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(body)
	if m == nil {
		return ""
	}
	return m[1]
}

func (r *running) wantMetric(t testing.TB, name, value string) {
	t.Helper()
	wait(t, name+" is "+value, func() bool { return r.metric(t, name) == value })
}

// body returns bytes that depend on a seed.
func body(seed uint64, size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}).Read(b)
	return b
}

// echo answers with the body that it gets, and a digest of it.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Digest", fmt.Sprintf("%x", sha256.Sum256(b)))
	w.Header().Set("Asked", r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("X-Forwarded-Host"))
	w.Write(b)
})

func TestForward(t *testing.T) {
	upstream := httptest.NewServer(echo)
	defer upstream.Close()
	p := start(t, upstream.URL+"/base")
	for i, size := range []int{0, 1, 32 << 10, 1<<20 + 1} {
		sent := body(uint64(i), size)
		r, err := http.Post(p.url+"/a?b=c", "text/plain", bytes.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !bytes.Equal(got, sent) || r.Header.Get("Digest") != fmt.Sprintf("%x", sha256.Sum256(sent)) {
			t.Errorf("%d bytes: %v, %d came back, digest %s", size, err, len(got), r.Header.Get("Digest"))
		}
		if asked, want := r.Header.Get("Asked"), "POST /base/a?b=c "+strings.TrimPrefix(p.url, "http://"); asked != want {
			t.Errorf("the upstream was asked %q, want %q", asked, want)
		}
	}
	p.wantMetric(t, `octet_proxy_requests_total{code="200"}`, "4")
	p.wantMetric(t, `octet_pool_in_use_bytes{pool="proxy"}`, "0")
	if n := p.metric(t, `octet_pool_gets_total{pool="proxy"}`); n == "0" || n == "" {
		t.Errorf("the pool had %q requests", n)
	}
	p.wantMetric(t, "octet_proxy_upstream_errors_total", "0")
	p.wantMetric(t, "octet_proxy_aborted_total", "0")
}

func TestBadFlags(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := taken.Addr().String()
	const to = "--to=http://127.0.0.1:1"
	for _, tt := range []struct{ args, want string }{
		{"", "--to is missing: give the address of a server, such as --to http://localhost:9000"},
		{"--to=localhost:9000", `--to "localhost:9000" is not the address of a server: use http:// or https:// and a host, such as http://localhost:9000`},
		{"--to=http://", `--to "http://" is not the address of a server`},
		{"--to=ftp://host", `--to "ftp://host" is not the address of a server`},
		{"--to=http://%zz", `is not the address of a server`},
		{to + " --buffer-size=x", `--buffer-size "x" is not a size: use for example 64KiB`},
		{to + " --buffer-size=1", `--buffer-size 1: use 1.0 KiB to 64 MiB`},
		{to + " --buffer-size=1TB", `--buffer-size 1TB: use 1.0 KiB to 64 MiB`},
		{to + " --limit=x", `--limit "x" is not a size: use for example 64MiB`},
		{to + " --limit=64KiB", "--limit 64KiB is less than a buffer, and would reject every request: use at least 256 KiB"},
		{to + " --grace=-1s", `--grace -1s: must not be below 0`},
		{to + " --listen=" + at, "--listen " + at + ": bind: address already in use; use another address, such as localhost:0"},
		{to + " --listen=127.0.0.1:0 --admin=" + at, "--admin " + at + ": bind: address already in use"},
		{to + " --listen=nonsense", "--listen nonsense: address nonsense: missing port in address"},
		{to + " more", `unknown command "more"`},
	} {
		cmd := Command()
		cmd.SetArgs(strings.Fields(tt.args))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		if err := cmd.ExecuteContext(ctx); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("octet proxy %s: %v, want %s", tt.args, err, tt.want)
		}
		stop()
	}
}

func TestDeadUpstream(t *testing.T) {
	upstream := httptest.NewServer(echo)
	upstream.Close()
	p := start(t, upstream.URL)
	r, text := get(t, p.url+"/x")
	if r.StatusCode != http.StatusBadGateway || !strings.Contains(text, "the server behind it does not answer") {
		t.Errorf("%d %q", r.StatusCode, text)
	}
	p.wantMetric(t, "octet_proxy_upstream_errors_total", "1")
	p.wantMetric(t, `octet_proxy_requests_total{code="502"}`, "1")
	if !strings.Contains(p.log.String(), `level=WARN msg="the upstream failed" method=GET path=/x error="dial tcp`) {
		t.Errorf("the log is\n%s", p.log)
	}
}

// TestUpstreamStops sees that a client notices a response that ends early, and that
// the buffer comes back.
func TestUpstreamStops(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(body(1, 100<<10))
		panic(http.ErrAbortHandler)
	}))
	defer upstream.Close()
	p := start(t, upstream.URL)
	r, err := http.Get(p.url)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r.Body); err == nil {
		t.Errorf("%d bytes came, and no error", n)
	}
	r.Body.Close()
	p.wantMetric(t, "octet_proxy_upstream_errors_total", "1")
	p.wantMetric(t, `octet_pool_in_use_bytes{pool="proxy"}`, "0")
	p.wantMetric(t, "octet_proxy_running", "0")
}

// TestAbort sees that a client that leaves is not the upstream's fault.
func TestAbort(t *testing.T) {
	come := make(chan bool)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		come <- true
		<-r.Context().Done()
	}))
	defer upstream.Close()
	p := start(t, upstream.URL)
	ctx, leave := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, "GET", p.url, nil)
	go func() { <-come; leave() }()
	if _, err := http.DefaultClient.Do(request); err == nil {
		t.Error("the request succeeded")
	}
	p.wantMetric(t, "octet_proxy_aborted_total", "1")
	p.wantMetric(t, "octet_proxy_upstream_errors_total", "0")
}

func TestAdmin(t *testing.T) {
	upstream := httptest.NewServer(echo)
	defer upstream.Close()
	p := start(t, upstream.URL)
	for path, want := range map[string]string{
		"/":                          "<title>Pools</title>",
		"/debug/pools":               `<span class="name">proxy</span>`,
		"/debug/pools?format=json":   `"name":"proxy"`,
		"/metrics":                   `octet_pool_gets_total{pool="proxy"}`,
		"/debug/pprof/":              "octet",
		"/debug/pprof/octet?debug=1": "Slices of octet's pools",
		"/debug/pprof/cmdline":       "proxy",
		"/healthz":                   "ok",
	} {
		if r, text := get(t, p.admin+path); r.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d, and no %q in\n%s", path, r.StatusCode, want, text)
		}
	}
	if r, _ := get(t, p.url+"/debug/pools"); !strings.HasPrefix(r.Header.Get("Asked"), "GET /debug/pools") {
		t.Error("the page is shown to users")
	}
}

// slow returns an upstream that begins to answer and ends when it is told so.
func slow(t *testing.T) (url string, begun <-chan bool, end func()) {
	began, ended := make(chan bool, 10), make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "begin ")
		w.(http.Flusher).Flush()
		began <- true
		select {
		case <-ended:
			io.WriteString(w, "end")
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, began, sync.OnceFunc(func() { close(ended) })
}

// TestLimit sees that a request beyond the limit is rejected before the upstream is
// asked, and that there is room when the first has ended.
func TestLimit(t *testing.T) {
	url, begun, end := slow(t)
	defer end()
	p := start(t, url, func(c *config) { c.limit = int64(c.bufferSize) })
	ended := make(chan string, 1)
	go func() {
		r, err := http.Get(p.url)
		if err != nil {
			ended <- err.Error()
			return
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		ended <- fmt.Sprint(string(b), " ", err)
	}()
	<-begun
	r, text := get(t, p.url)
	if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "1" || !strings.Contains(text, "too many requests") {
		t.Errorf("%d, Retry-After %q, %q", r.StatusCode, r.Header.Get("Retry-After"), text)
	}
	p.wantMetric(t, `octet_proxy_requests_total{code="503"}`, "1")
	p.wantMetric(t, `octet_pool_rejected_total{pool="proxy"}`, "1")
	p.wantMetric(t, `octet_pool_limit_bytes{pool="proxy"}`, "32768")
	end()
	if got := <-ended; got != "begin end <nil>" {
		t.Errorf("the first request got %q", got)
	}
	wait(t, "there is room again", func() bool { r, _ := get(t, p.url); return r.StatusCode == http.StatusOK })
	p.wantMetric(t, `octet_pool_in_use_bytes{pool="proxy"}`, "0")
	p.wantMetric(t, `octet_pool_reserved_bytes{pool="proxy"}`, "0")
}

// TestGracefulStop sees that a stop waits for requests that run and serves no others.
func TestGracefulStop(t *testing.T) {
	url, begun, end := slow(t)
	defer end()
	p := start(t, url)
	answer := make(chan string, 1)
	go func() {
		r, err := http.Get(p.url)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		answer <- fmt.Sprint(string(b), " ", err)
	}()
	<-begun
	p.stop()
	wait(t, "the proxy accepts no connections", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	if r, text := get(t, p.admin+"/healthz"); r.StatusCode != http.StatusServiceUnavailable || text != "stopping\n" {
		t.Errorf("/healthz says %d %q", r.StatusCode, text)
	}
	select {
	case err := <-p.ended:
		t.Errorf("it stopped while a request ran: %v", err)
	default:
	}
	end()
	if got := <-answer; got != "begin end <nil>" {
		t.Errorf("the request that ran got %q", got)
	}
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
	if log := p.log.String(); !strings.Contains(log, "msg=stopping running=1 grace=10s") || !strings.Contains(log, "msg=stopped") {
		t.Errorf("the log is\n%s", log)
	}
}

// TestGraceEnds sees that a stop does not wait for ever.
func TestGraceEnds(t *testing.T) {
	url, begun, end := slow(t)
	defer end()
	p := start(t, url, func(c *config) { c.grace = 50 * time.Millisecond })
	go func() {
		if r, err := http.Get(p.url); err == nil {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
	}()
	<-begun
	p.stop()
	if err := <-p.ended; err == nil || err.Error() != "stopped after 50ms, the time of --grace: 1 requests were cut off" {
		t.Errorf("it stopped with %v", err)
	}
}
