package check

import (
	"sync"

	"github.com/octet-go/octet/internal/finding"
	"github.com/octet-go/octet/internal/sanitize"
)

// pattern fills released memory: an unlikely length, text and pointer.
const pattern = 0xDB

// Memory stays in quarantine until this much came after it.
const (
	MaxQuarantined      = 256
	MaxQuarantinedBytes = 16 << 20
)

// A quarantinedSlice is released memory, filled with the pattern.
type quarantinedSlice struct {
	record *record
	memory []byte
	owner  Owner
}

// quarantined slices are a queue.
var queue struct {
	sync.Mutex
	ring  [MaxQuarantined]quarantinedSlice
	first int
	n     int
	bytes int
}

// hold holds b back, and lets go what was held long enough.
func quarantine(r *record, b []byte, o Owner, now *state) {
	b = b[:cap(b)]
	fill(b)
	if sanitize.Enabled {
		sanitize.Released(b)
	}
	h := quarantinedSlice{r, b, o}
	var found []*finding.Report
	for {
		oldest, full := enqueue(h)
		if !full {
			break
		}
		if f := oldest.leave(); f != nil {
			found = append(found, f)
		}
	}
	for _, f := range found {
		report(f, now) // last, because it may panic
	}
}

// enqueue adds h if there is room, and otherwise returns the oldest to make
// room. full says that h was not added.
func enqueue(h quarantinedSlice) (oldest quarantinedSlice, full bool) {
	q := &queue
	q.Lock()
	defer q.Unlock()
	if q.n == 0 || q.n < MaxQuarantined && q.bytes+len(h.memory) <= MaxQuarantinedBytes {
		q.ring[(q.first+q.n)%MaxQuarantined] = h
		q.n++
		q.bytes += len(h.memory)
		return quarantinedSlice{}, false
	}
	return dequeueLocked(), true
}

// dequeueLocked removes the oldest; it returns none if there is none.
func dequeueLocked() (h quarantinedSlice) {
	q := &queue
	if q.n == 0 {
		return h
	}
	h, q.ring[q.first] = q.ring[q.first], quarantinedSlice{}
	q.first = (q.first + 1) % MaxQuarantined
	q.n--
	q.bytes -= len(h.memory)
	return h
}

// drain lets everything go, and returns what was found wrong.
func drain() (found []*finding.Report) {
	for {
		queue.Lock()
		h := dequeueLocked()
		queue.Unlock()
		if h.record == nil {
			return found
		}
		if f := h.leave(); f != nil {
			found = append(found, f)
		}
	}
}

// leave gives the memory back to its pool, or to the collector if it is not the
// pool's, or was written to, which it returns.
func (h quarantinedSlice) leave() (f *finding.Report) {
	r := h.record
	s := shardOf(r.base)
	s.Lock()
	if sanitize.Enabled {
		sanitize.Reused(h.memory)
	}
	if !intact(h.memory) {
		f = r.finding(finding.UseAfterRelease, "written after release", nil)
	}
	foreign := r.acquiredAt == 0
	now := load()
	back := f == nil && !foreign && r.poolID == h.owner.ID() && now.strict() && r.epoch == now.epoch
	if back {
		r.stage = idle
	} else {
		r.stage = gone
	}
	s.Unlock()
	if foreign {
		remove(r) // it has no cleanup
	}
	if back {
		if sanitize.Enabled {
			sanitize.Released(h.memory)
		}
		h.owner.Keep(h.memory)
	}
	return f
}

func fill(b []byte) {
	if len(b) == 0 {
		return
	}
	b[0] = pattern
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// intact reports whether b is filled still: each byte is what the one before it
// is, which compares at the speed of memory.
func intact(b []byte) bool {
	return len(b) == 0 || b[0] == pattern && string(b[1:]) == string(b[:len(b)-1])
}

// dead are the latest released guarded slices. Their addresses never come back,
// so their records have to be dropped by number.
var dead struct {
	sync.Mutex
	ring [4096]*record
	next int
}

// bury keeps the record of a guarded slice for a while.
func bury(r *record) {
	dead.Lock()
	old := dead.ring[dead.next]
	dead.ring[dead.next] = r
	dead.next = (dead.next + 1) % len(dead.ring)
	dead.Unlock()
	if old != nil {
		remove(old)
	}
}
