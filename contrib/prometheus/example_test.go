package octetprom_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/octet-go/octet/bytespool"
	octetprom "github.com/octet-go/octet/contrib/prometheus"
)

func Example() {
	frames := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithName("frames"))

	registry := prometheus.NewRegistry()
	registry.MustRegister(octetprom.NewCollector())
	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	fmt.Println(w.Code)
	runtime.KeepAlive(frames)
	// Output: 200
}

func ExampleWithClasses() {
	prometheus.MustRegister(octetprom.NewCollector(octetprom.WithClasses()))
}
