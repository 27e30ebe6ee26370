package groups

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// inSteps is octet with n classes a doubling.
func inSteps(n int) policy {
	return policy{"octet, steps " + strconv.Itoa(n), true, newOctetStore(bytespool.WithSteps(n)), bytespool.DefaultRetain}
}

// mixRow measures the memory that slices of all sizes take. An operation replaces
// the oldest of those in use.
func mixRow() contest.Row {
	const inUse = 512
	const least, most = 300, 1 << 20
	return contest.Row{
		Name:    "op=mix",
		Unit:    sample.Peak,
		Aside:   keeping,
		Process: &contest.Process{Operations: 100 * inUse},
		Contestants: keepers(func(p policy) contest.Run {
			r := rand.New(rand.NewPCG(1, 2))
			s := p.open()
			held := make([]loan, inUse)
			gets := 0
			return contest.Run{
				Do: func(n int) {
					for i := range n {
						l := &held[i%inUse]
						if l.b != nil {
							s.put(*l)
						}
						*l = s.get(int(least * math.Pow(most/least, r.Float64()))) // each doubling is as likely
						l.b[0] = 1
					}
					gets += n
				},
				Metrics: func() map[string]float64 { return map[string]float64{misses: missed(gets, s.misses())} },
			}
		}, inSteps(1), inSteps(2), inSteps(4), keepsSync, keepsNever),
	}
}

// worstRow looks for the size of which the capacity is the largest multiple.
func worstRow() contest.Row {
	const from = 257
	return contest.Row{
		Name:  "op=worst",
		Unit:  "cap/len",
		Aside: keeping,
		Contestants: keepers(func(p policy) contest.Run {
			s := p.open()
			worst := 0.0
			size := from
			return contest.Run{
				Do: func(n int) {
					for range n {
						l := s.get(size)
						worst = max(worst, float64(cap(l.b))/float64(size))
						s.put(l)
						if size += 1 + size/1000; size > octetMax {
							size = from
						}
					}
				},
				Metrics: func() map[string]float64 { return map[string]float64{"cap/len": worst} },
			}
		}, inSteps(1), inSteps(2), inSteps(4)),
	}
}

// stepsRow measures what steps cost a pair of calls.
func stepsRow(size int) contest.Row {
	const one = "octet"
	pairs := func(name string, opts ...bytespool.Option) contest.Contestant {
		return start(name, true, func() func(int) { return octetPool(size, opts...).pairs })
	}
	return contest.Row{
		Name:        "op=pair/size=" + strconv.Itoa(size),
		Aside:       "Octet competes with itself: a pool with steps finds the class in another way.",
		Against:     one,
		Contestants: []contest.Contestant{pairs(one), pairs("octet, steps 2", bytespool.WithSteps(2)), pairs("octet, steps 4", bytespool.WithSteps(4))},
	}
}
