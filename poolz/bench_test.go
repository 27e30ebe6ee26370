package poolz

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
)

// BenchmarkRequest shows what a request for 50 pools costs.
func BenchmarkRequest(b *testing.B) {
	pools := fifty()
	for _, format := range []string{"json", "html"} {
		b.Run("format="+format, func(b *testing.B) {
			h := Handler()
			r := httptest.NewRequest("GET", "/?format="+format, nil)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(discard{}, r)
			}
		})
	}
	keepAlive(pools...)
}

// BenchmarkNewRelease shows what those who use a pool pay while its figures are read
// ten times a second, in both forms.
//
//	go test -run '^$' -bench NewRelease -count 10 ./poolz
func BenchmarkNewRelease(b *testing.B) {
	pools := fifty()
	for _, seen := range []string{"no", "yes"} {
		b.Run("seen="+seen, func(b *testing.B) {
			p := bytespool.NewCapacityPools(2, 1<<20)
			stop, stopped := make(chan bool), make(chan bool)
			go func() {
				defer close(stopped)
				if seen == "no" {
					return
				}
				h := Handler()
				for tick := time.NewTicker(time.Second / 10); ; {
					select {
					case <-tick.C:
						h.ServeHTTP(discard{}, httptest.NewRequest("GET", "/?format=json", nil))
					case <-stop:
						tick.Stop()
						return
					}
				}
			}()
			for b.Loop() {
				s := p.New(1 << 10)
				s[0] = 1
				p.Release(s)
			}
			close(stop)
			<-stopped
		})
	}
	keepAlive(pools...)
}
