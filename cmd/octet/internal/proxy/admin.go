package proxy

import (
	"io"
	"net/http"
	"net/http/pprof"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/octet-go/octet/poolz"
)

// admin returns what is served at the address of --admin.
func (p *proxy) admin(stopping *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/{$}", http.RedirectHandler("/debug/pools", http.StatusFound))
	mux.Handle("/debug/pools", poolz.Handler())
	mux.Handle("/metrics", promhttp.HandlerFor(p.metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if stopping.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, "stopping\n")
			return
		}
		io.WriteString(w, "ok\n")
	})
	return mux
}
