package groups

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

const (
	phases      = 8
	phaseBursts = 60
	phaseBytes  = 32 << 20 // in use at once
	phaseLive   = 32 << 20
)

// phaseSize returns the size of the slices of a phase.
func phaseSize(phase int) int { return 4 << 10 << (phase % phases) }

// phasesRow measures what retention costs and gains a program whose bursts are of
// one size for a while, and then of another: the longer the idle memory of a phase is
// kept, the more of it there is beside that of the next. An operation is a burst.
func phasesRow() contest.Row {
	return contest.Row{
		Name:    "op=phases",
		Unit:    sample.CPU,
		Aside:   keeping,
		Process: &contest.Process{Operations: phases * phaseBursts},
		Contestants: keepers(func(p policy) contest.Run {
			tree := newTree(phaseLive / int(unsafe.Sizeof(node{})))
			s := p.open()
			held := make([]loan, phaseBytes/phaseSize(0))
			gets := 0
			return contest.Run{
				Do: func(n int) {
					for i := range n {
						size := phaseSize(i * phases / n)
						burst := held[:phaseBytes/size]
						takeAll(s, burst, size)
						putAll(s, burst)
						gets += len(burst)
						litter(16 << 20)
					}
				},
				Metrics: func() map[string]float64 {
					runtime.KeepAlive(tree)
					return map[string]float64{misses: missed(gets, s.misses()), "idle-B": float64(s.idle())}
				},
			}
		}, octetDefault, octetDrained, octetRetain(time.Second), octetRetain(5*time.Second), keepsSync, keepsAlways, keepsNever),
	}
}
