package poolz

import (
	"net/http/httptest"
	"testing"
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
