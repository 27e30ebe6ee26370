package report

import (
	"math"

	"golang.org/x/perf/benchmath"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A row is a contest.Row with what its samples say of octet.
type row struct {
	*contest.Row
	unit    string              // in which contestants are compared
	octet   *contest.Contestant // the first contestant
	best    *contest.Contestant // the rival with the best median; nil if there is none
	ratio   *benchmath.Summary  // of octet to the best rival, below 1 if octet is better; nil if there is none
	promise *promise            // nil if the row is about none
}

func summarize(r *contest.Row) *row {
	out := &row{Row: r, unit: contest.Time, octet: &r.Contestants[0]}
	if r.Process != nil {
		out.unit = contest.CPU
	}
	for i := range r.Contestants[1:] {
		c := &r.Contestants[1+i]
		if out.best == nil || median(c, out.unit) < median(out.best, out.unit) {
			out.best = c
		}
	}
	if out.best != nil {
		out.ratio = ratio(out.octet, out.best, out.unit)
	}
	out.promise = promised(out)
	return out
}

// median returns the median of a contestant's samples.
func median(c *contest.Contestant, unit string) float64 {
	return contest.Median(c.Samples[unit]).Center
}

// ratio returns the median of the ratios of all rounds, so that a disturbance of a whole round
// does not show. It returns nil if too many of b's samples are 0.
func ratio(a, b *contest.Contestant, unit string) *benchmath.Summary {
	var ratios []float64
	for i, v := range b.Samples[unit] {
		if v > 0 {
			ratios = append(ratios, a.Samples[unit][i]/v)
		}
	}
	if len(ratios)*2 <= len(b.Samples[unit]) {
		return nil
	}
	s := contest.Median(ratios)
	return &s
}

// levelWithin is the difference from which readers decide. Where the linker puts functions
// makes as much. wideInterval is the half-width of an interval, relative to the ratio, above
// which it says little, although it may say on which side of 1 the ratio is.
const (
	levelWithin  = 0.1
	wideInterval = 0.1
)

// clearly reports whether the ratio is better (-1) or worse (+1) than 1: by a tenth at least,
// with 1 outside its interval. Otherwise it returns 0.
func clearly(ratio *benchmath.Summary) int {
	switch {
	case math.IsInf(ratio.Hi, 0):
		return 0
	case ratio.Hi < 1 && ratio.Center <= 1-levelWithin:
		return -1
	case ratio.Lo > 1 && ratio.Center >= 1+levelWithin:
		return +1
	}
	return 0
}

// unclear reports whether the row's samples cannot tell whether octet is better.
func (r *row) unclear() bool {
	return r.ratio != nil && clearly(r.ratio) == 0 && (r.ratio.Hi-r.ratio.Lo)/2 > wideInterval*r.ratio.Center
}

// What octet promises in every pattern of use, beside a sync.Pool: it needs at most
// memoryFactor times its memory and memoryExtra, and at most timeFactor times its processor
// time, or smallTimeFactor times where it needs less than half of the memory.
const (
	memoryFactor    = 1.25
	memoryExtra     = 16 << 20
	timeFactor      = 1.1
	smallTimeFactor = 1.6
)

// A promise says whether octet keeps what it promises in a row.
type promise struct {
	memory, time         float64 // octet's divided by its peer's
	memoryKept, timeKept bool
}

// promised returns nil if the row is about no promise, or the memory of its processes is unknown.
func promised(r *row) *promise {
	if r.Process == nil || !r.Process.Promise || r.ratio == nil || len(r.octet.Samples[contest.RSS]) == 0 {
		return nil
	}
	return keep(median(r.octet, contest.RSS), median(r.best, contest.RSS), r.ratio.Center)
}

// keep judges octet's memory by the peer's, and its processor time divided by the peer's.
func keep(memory, peerMemory, time float64) *promise {
	factor := timeFactor
	if memory*2 < peerMemory {
		factor = smallTimeFactor
	}
	return &promise{memory / peerMemory, time, memory <= memoryFactor*peerMemory+memoryExtra, time <= factor}
}

func (p *promise) kept() bool { return p.memoryKept && p.timeKept }
