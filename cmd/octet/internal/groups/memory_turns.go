package groups

import (
	"runtime/metrics"
	"sync"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// turnsRow measures whether many pools that are used in turn stay within the memory limit
// together. An operation is a burst of 200 slices of 64 KiB in the next of 50 pools.
func turnsRow() contest.Row {
	const pools, burst, most = 50, 200, 140 << 20
	return contest.Row{
		Name:    "op=turns",
		Unit:    sample.CPU,
		Aside:   keeping,
		Process: &contest.Process{Operations: 250, Env: []string{"GOGC=off", "GOMEMLIMIT=128MiB"}},
		Contestants: keepers(func(p policy) contest.Run {
			stores := make([]store, pools)
			for i := range stores {
				stores[i] = p.open()
			}
			held := make([]loan, burst)
			samples, above, worst := 0, 0, uint64(0)
			return contest.Run{
				Do: func(n int) {
					for i := range n {
						s := stores[i%pools]
						for part := range 4 {
							takeAll(s, held[burst/4*part:burst/4*(part+1)], keepSize)
							now := fromSystem()
							if samples++; now > most {
								above++
							}
							worst = max(worst, now)
						}
						putAll(s, held)
					}
				},
				Metrics: func() map[string]float64 {
					return map[string]float64{"worst-B": float64(worst), "above-140-MiB-%": 100 * float64(above) / float64(max(samples, 1))}
				},
			}
		}, octetDefault, keepsSync, keepsNever),
	}
}

// fromSystem returns the bytes that the process has from the system.
func fromSystem() uint64 {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(all)
	return all[0].Value.Uint64() - all[1].Value.Uint64()
}

// foreignRow measures what is kept of slices that come from elsewhere, and that nobody asks
// for. An operation is the release of a slice of 128 KiB to 4 MiB by each of two goroutines.
func foreignRow() contest.Row {
	return contest.Row{
		Name:    "op=foreign",
		Unit:    "worst-kept-B",
		Aside:   keeping,
		Process: &contest.Process{Operations: 2000},
		Contestants: keepers(func(p policy) contest.Run {
			s := p.open()
			worst := int64(0)
			return contest.Run{
				Do: func(n int) {
					var releasing sync.WaitGroup
					for range 2 {
						releasing.Go(func() {
							for i := range n {
								b := make([]byte, 128<<10<<(i%6))
								s.put(loan{b, &b})
							}
						})
					}
					done := make(chan bool)
					go func() { releasing.Wait(); close(done) }()
					for more := true; more; {
						select {
						case <-done:
							more = false
						default:
							worst = max(worst, s.idle())
						}
					}
				},
				Metrics: func() map[string]float64 { return map[string]float64{"worst-kept-B": float64(worst)} },
			}
		}, octetDefault),
	}
}
