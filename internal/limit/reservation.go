package limit

import (
	"sync"

	"github.com/octet-go/octet/internal/check"
)

// A Reservation has bytes that count and are not taken yet. One without a limit, as the
// zero one is, has all that is asked of it.
type Reservation struct {
	limit *Limit
	mu    sync.Mutex
	left  int64
}

// Hold gives r, which is zero, n bytes that l, which may be nil, has admitted. Package check
// tracks r for its owner as long as it has any.
func (r *Reservation) Hold(l *Limit, n int64, o check.Owner) {
	r.limit = l
	if l != nil && n > 0 {
		r.left = n
		l.reserved.Add(n)
		if check.Strict() {
			check.Track(r, (*Reservation)(nil), "Reservation", int(n), o)
		}
	}
}

// Draw takes n bytes from r, has what it lacks admitted, and reports whether that succeeded.
// If not, r keeps what it has.
func (r *Reservation) Draw(n int64) bool {
	if r.limit == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.left && !r.limit.Admit(n-r.left) {
		return false
	}
	r.use(min(n, r.left))
	return true
}

// use takes n bytes from those left. The caller holds mu.
func (r *Reservation) use(n int64) {
	if n > 0 {
		r.limit.reserved.Add(-n)
		if r.left -= n; r.left == 0 {
			check.End(r, (*Reservation)(nil))
		}
	}
}

// Release gives back what was not taken from r.
func (r *Reservation) Release() {
	r.mu.Lock()
	n := r.left
	r.use(n)
	r.mu.Unlock()
	if n > 0 {
		r.limit.Give(n)
	}
}
