package buffer

import "github.com/octet-go/octet/internal/earlier"

func init() {
	earlier.Release = func(buffer any) bool { return buffer.(*Buffer).release() }
	earlier.CountOf = func(buffer any) earlier.Count { return &buffer.(*Buffer).refs }
}

// The methods of [earlier.Count].

func (r *refCount) Value() int64 { return value(r.n.Load()) }

func (r *refCount) Add(delta int64) (before int64) { return value(r.n.Add(delta) - delta) }

func (r *refCount) Store(count int64) {
	for {
		n := r.n.Load()
		s := state(n)
		if s < 0 || r.n.CompareAndSwap(n, s+count) {
			return
		}
	}
}

func (r *refCount) Idle() bool { return r.idle() }

func (r *refCount) Tracked() bool { return state(r.n.Load()) == tracked }
