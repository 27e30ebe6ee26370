package patterns

import (
	"flag"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/measure"
)

var full = flag.Bool("full", false, "benchmarks do the whole work of a pattern, whatever -benchtime says")

// BenchmarkPatterns runs contestants in this process, for profiles.
func BenchmarkPatterns(b *testing.B) {
	for _, r := range Group().Rows {
		for _, c := range r.Contestants {
			b.Run(r.Name+"/"+c.Name, func(b *testing.B) {
				n := b.N
				if *full {
					n = r.Process.Operations
				}
				cpuBefore, rssBefore := measure.Used()
				c.Start()(n)
				cpu, rss := measure.Used()
				b.ReportMetric((cpu - cpuBefore).Seconds(), "cpu-s")
				b.ReportMetric(float64(rss-rssBefore)/(1<<20), "peak-MiB")
			})
		}
	}
}

// checked is a pool that checks what is put into it.
type checked struct {
	pool
	t           *testing.T
	taken, back *atomic.Int64
}

func (c checked) get(size int) slice {
	c.taken.Add(1)
	s := c.pool.get(size)
	if len(s.b) != size {
		c.t.Errorf("a slice of %d bytes has %d", size, len(s.b))
	}
	return s
}

func (c checked) growing(first, part, size int) slice {
	own, ok := c.pool.(grower)
	if !ok {
		return growing(struct{ pool }{c}, first, part, size) // without this method
	}
	c.taken.Add(1)
	s := own.growing(first, part, size)
	if len(s.b) != size {
		c.t.Errorf("a slice that grows to %d bytes has %d", size, len(s.b))
	}
	return s
}

func (c checked) put(s slice) {
	if s.b == nil {
		c.t.Error("what was not taken is released")
	}
	c.back.Add(1)
	c.pool.put(s)
}

// Every pattern does something, and releases all that it takes, with every pool.
func TestPatterns(t *testing.T) {
	for _, p := range all() {
		for i, open := range []func() pool{p.octet(), newSized, newSingle} {
			if i > 0 && testing.Short() {
				continue
			}
			var taken, back atomic.Int64
			do := p.start(func() pool { return checked{open(), t, &taken, &back} })
			for _, n := range []int{0, 1, 3} {
				do(n)
			}
			switch {
			case strings.HasPrefix(p.name, "use=oneway"):
				if taken.Load() != 0 || back.Load() != 4 {
					t.Errorf("%s: %d slices were taken, %d released", p.name, taken.Load(), back.Load())
				}
			case taken.Load() < 4 || taken.Load() != back.Load():
				t.Errorf("%s: %d slices were taken, %d released", p.name, taken.Load(), back.Load())
			}
		}
	}
}
