package check

import (
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/sanitize"
)

// Memory stays in quarantine until this many slices or bytes have followed it.
const (
	MaxQuarantined      = 256
	MaxQuarantinedBytes = 16 << 20
)

// A quarantinedSlice is released memory.
type quarantinedSlice struct {
	record *record
	memory []byte
	owner  Owner
	filled bool // with the pattern
}

// queue has the slices in quarantine, oldest first.
var queue struct {
	sync.Mutex
	ring  [MaxQuarantined]quarantinedSlice
	first int
	n     int
	bytes int
}

// quarantine puts b into quarantine, and takes out what must make room.
func quarantine(r *record, b []byte, o Owner, now *state) {
	b = b[:cap(b)]
	filled := now.fillReleased(b, r)
	if sanitize.Enabled {
		sanitize.Released(b)
	}
	h := quarantinedSlice{r, b, o, filled}
	// The oldest make room, one by one. They leave without the queue's lock: each is compared
	// with the pattern, all of it, and goes back to its pool.
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

// dequeueLocked removes and returns the oldest, or the zero value if there is none.
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

// drain empties quarantine, and returns the misuses that this brings to light.
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

// leave returns memory that leaves quarantine to its pool. What another pool handed
// out, and what was written to, goes to the collector; f reports the latter.
func (h quarantinedSlice) leave() (f *finding.Report) {
	r := h.record
	s := shardOf(r.base)
	s.Lock()
	if sanitize.Enabled {
		sanitize.Reused(h.memory)
	}
	if h.filled && !intact(h.memory) {
		f = r.finding(finding.UseAfterRelease, "written after release", nil)
	}
	foreign := r.serial == 0
	now := load()
	back := f == nil && !foreign && r.poolID == h.owner.ID() && now.strict() && r.epoch == now.epoch
	if back {
		r.stage, r.filled = idle, h.filled
	} else {
		r.stage = gone
	}
	s.Unlock()
	if foreign {
		remove(r) // no cleanup will
	}
	if back {
		if sanitize.Enabled {
			sanitize.Released(h.memory)
		}
		h.owner.Keep(h.memory)
	}
	return f
}

// graves have the records of guarded slices that were released.
var graves struct {
	records [1 << 12]atomic.Pointer[record]
	dug     atomic.Uint64 // how many there were so far
}

// bury keeps the record of a guarded slice that was released until as many others were as
// graves have room for: its memory is never collected, and no cleanup removes the record.
func bury(r *record) {
	if old := graves.records[graves.dug.Add(1)%uint64(len(graves.records))].Swap(r); old != nil {
		remove(old)
	}
}
