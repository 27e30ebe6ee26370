package proxy

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/octet-go/octet/bytespool"
	octetprom "github.com/octet-go/octet/contrib/prometheus"
)

// A proxy forwards requests.
type proxy struct {
	forward httputil.ReverseProxy
	buffers *bytespool.BufPool
	size    int // of a buffer
	log     *slog.Logger
	running atomic.Int64 // requests

	metrics  *prometheus.Registry
	requests *prometheus.CounterVec // by code
	failures prometheus.Counter     // of the server that is forwarded to
	aborts   prometheus.Counter     // by clients
}

func newProxy(c config, log *slog.Logger) *proxy {
	p := &proxy{
		buffers:  bytespool.NewBufPool(c.bufferSize, bytespool.WithName("proxy"), bytespool.WithRetain(c.retain), bytespool.WithLimit(c.limit)),
		size:     c.bufferSize,
		log:      log,
		metrics:  prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "octet_proxy_requests_total", Help: "Requests that were answered."}, []string{"code"}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{Name: "octet_proxy_upstream_errors_total", Help: "Requests that failed because the upstream did not answer, or stopped in the middle."}),
		aborts:   prometheus.NewCounter(prometheus.CounterOpts{Name: "octet_proxy_aborted_total", Help: "Requests that their clients gave up."}),
	}
	running := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "octet_proxy_running", Help: "Requests that run."},
		func() float64 { return float64(p.running.Load()) })
	p.metrics.MustRegister(octetprom.NewCollector(), p.requests, p.failures, p.aborts, running,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256 // they all go to one host
	transport.DisableCompression = true                              // that is between the client and the upstream
	p.forward = httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(c.to)
			r.SetXForwarded()
		},
		Transport:      transport,
		ModifyResponse: p.watch,
		ErrorHandler:   p.failed,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug), // what else it says, watch has said
	}
	return p
}

// handler returns what serves requests.
func (p *proxy) handler() http.Handler {
	return promhttp.InstrumentHandlerCounter(p.requests, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.running.Add(1)
		defer func() { // also if the upstream stops in the middle, which is a panic
			p.running.Add(-1)
			if r.Context().Err() != nil {
				p.aborts.Inc()
			}
		}()
		p.admit(w, r)
	}))
}

// admit forwards a request if the limit has room for its buffer. The room is set aside
// before the upstream is asked: the answer must not come to nothing for want of it.
func (p *proxy) admit(w http.ResponseWriter, r *http.Request) {
	room, err := p.buffers.Pools().TryReserve(int64(p.size))
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "octet proxy: too many requests at a time", http.StatusServiceUnavailable)
		return
	}
	defer room.Release()
	forward := p.forward
	forward.BufferPool = admitted{p.buffers, p.size, room}
	forward.ServeHTTP(w, r)
}

// An admitted takes the buffer of one request from what was set aside for it.
type admitted struct {
	*bytespool.BufPool
	size int
	room *bytespool.Reservation
}

// Get implements [httputil.BufferPool].
func (a admitted) Get() []byte {
	if b, err := a.room.New(a.size); err == nil {
		return b
	}
	return a.BufPool.Get() // a second one, which no request has needed so far
}

// failed answers a request that could not be forwarded.
func (p *proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	p.count(r, err)
	http.Error(w, "octet proxy: the server behind it does not answer", http.StatusBadGateway)
}

// count counts and logs a failure of the upstream, unless the client had left.
func (p *proxy) count(r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	p.failures.Inc()
	p.log.Warn("the upstream failed", "method", r.Method, "path", r.URL.Path, "error", err)
}

// watch has an upstream that stops in the middle of a response counted.
func (p *proxy) watch(r *http.Response) error {
	if r.StatusCode != http.StatusSwitchingProtocols { // whose body is more than a reader
		r.Body = &watched{r.Body, r.Request, p}
	}
	return nil
}

// A watched is the body of a response from the upstream.
type watched struct {
	io.ReadCloser
	request *http.Request
	proxy   *proxy
}

func (w *watched) Read(b []byte) (n int, err error) {
	n, err = w.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		w.proxy.count(w.request, err)
	}
	return n, err
}
