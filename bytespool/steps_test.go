package bytespool_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/octet-go/octet/bytespool"
)

// BenchmarkSteps is for the question how many classes a doubling should have: the sizes that
// programs of docs/EVIDENCE.md and others ask for, and appending to 1 MiB. It says how many
// times the bytes asked for slices have, the share of hits, and what is idle beside 32 slices.
func BenchmarkSteps(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	either := func(a, b func() int) func() int {
		return func() int {
			if r.IntN(2) == 0 {
				return a()
			}
			return b()
		}
	}
	about := func(n, more int) func() int { return func() int { return n + r.IntN(more+1) } }
	for _, sizes := range []struct {
		name string
		next func() int
	}{
		{"32KiB+header", either(about(32777, 40), about(20, 200))},
		{"4KiB+header", about(4110, 0)},
		{"1KiB+header", about(1031, 30)},
		{"64KiB", either(about(65536, 0), about(300, 1100))},
		{"log-uniform", func() int { return int(256 * math.Exp(r.Float64()*math.Log(256))) }},
	} {
		list := make([]int, 4096)
		for i := range list {
			list[i] = sizes.next()
		}
		for _, steps := range []int{1, 2, 4} {
			b.Run("sizes="+sizes.name+"/steps="+strconv.Itoa(steps), func(b *testing.B) {
				p := bytespool.NewPool(bytespool.WithSteps(steps))
				var held [32][]byte
				asked, got := 0, 0
				for i := 0; b.Loop(); i++ {
					n, k := list[i%len(list)], i*7%len(held)
					p.Release(held[k])
					held[k] = p.New(n)
					asked += n
					got += cap(held[k])
				}
				s := p.Stats()
				b.ReportMetric(float64(got)/float64(asked), "x-asked")
				b.ReportMetric(float64(s.Hits)/float64(s.Gets), "hits")
				b.ReportMetric(float64(s.IdleBytes>>10), "idle-KiB")
			})
		}
	}
	for _, steps := range []int{1, 2, 4} {
		b.Run("append/steps="+strconv.Itoa(steps), func(b *testing.B) {
			p := bytespool.NewPool(bytespool.WithSteps(steps))
			chunk := make([]byte, 512)
			for b.Loop() {
				s := p.Make(512)
				for len(s) < 1<<20 {
					s = p.Append(s, chunk...)
				}
				p.Release(s)
			}
		})
	}
}
