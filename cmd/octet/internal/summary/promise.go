package summary

import (
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// What octet promises in every pattern of use, beside a sync.Pool: it needs at most
// MemoryFactor times its memory and MemoryExtra, and at most TimeFactor times its processor
// time, or SmallTimeFactor times where it needs less than half of the memory.
const (
	MemoryFactor    = 1.25
	MemoryExtra     = 16 << 20
	TimeFactor      = 1.1
	SmallTimeFactor = 1.6
)

// A Promise says whether octet keeps what it promises in a row.
type Promise struct {
	Row         string  `json:"row"`
	Peer        string  `json:"peer"`         // the sync.Pool
	MemoryRatio float64 `json:"memory_ratio"` // octet's median divided by the peer's
	TimeRatio   float64 `json:"time_ratio"`   // the median of the rounds' ratios: all that slows the machine slows both
	MemoryKept  bool    `json:"memory_kept"`
	TimeKept    bool    `json:"time_kept"`
}

// Kept reports whether all of it is kept.
func (p *Promise) Kept() bool { return p.MemoryKept && p.TimeKept }

// promise returns nil if the row has no peer, or the memory of its processes is unknown.
func promise(in *contest.Row, r *Row) *Promise {
	ours, peer := -1, -1
	for i, c := range r.Contestants {
		switch {
		case c.Ours:
			ours = i
		case c.Name == in.Peer:
			peer = i
		}
	}
	if ours < 0 || peer < 0 {
		return nil
	}
	memory, peerMemory := r.Contestants[ours].Units[contest.RSS].Center, r.Contestants[peer].Units[contest.RSS].Center
	time := ratio(in.Contestants[ours].Samples[contest.CPU], in.Contestants[peer].Samples[contest.CPU])
	if peerMemory <= 0 || time == nil {
		return nil
	}
	return keep(r.Name, in.Peer, memory, peerMemory, time.Center)
}

// keep judges octet's memory by the peer's, and its processor time divided by the peer's.
func keep(row, peer string, memory, peerMemory, time float64) *Promise {
	factor := TimeFactor
	if memory*2 < peerMemory {
		factor = SmallTimeFactor
	}
	return &Promise{
		Row: row, Peer: peer,
		MemoryRatio: memory / peerMemory,
		TimeRatio:   time,
		MemoryKept:  memory <= MemoryFactor*peerMemory+MemoryExtra,
		TimeKept:    time <= factor,
	}
}
