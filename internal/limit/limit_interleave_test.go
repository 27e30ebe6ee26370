//go:build !octet_purego

package limit

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestLimitInterleavings runs TestLimitInterleaved, which explores the orders of the steps of
// requests, releases, waiters, and contexts that end. For that this package is built with copies of
// its files whose atomic variables and locks are steps, and in which a waiter waits as a thread
// does; otherwise they are the same. To show that it finds faults, it must find those of mutants
// of these files (flag -mutants).
func TestLimitInterleavings(t *testing.T) {
	testenv.Exploration{
		Test:  "TestLimitInterleaved",
		Files: []string{"limit.go", "line.go", "reservation.go"},
		Steps: []testenv.Edit{
			{"	\"sync\"\n	\"sync/atomic\"\n	\"time\"\n", "	\"time\"\n\n	atomic \"github.com/octet-go/octet/internal/interleave\"\n"},
			{"	\"sync\"\n\n", "\n	atomic \"github.com/octet-go/octet/internal/interleave\"\n"},
			{"	var tick <-chan time.Time\n	if w.bubble != 0 {\n		t := time.NewTicker(time.Second)\n		defer t.Stop()\n		tick = t.C\n	}\n	for done := false; !done; {\n		select {\n		case <-w.ready:\n			done = true\n		case <-ctx.Done():\n			done = true\n		case <-tick:\n			l.mu.Lock()\n			done = w.granted\n			l.mu.Unlock()\n		}\n	}\n", "	modelWait(w, ctx)\n"},
			{"sync.Mutex", "atomic.Mutex"},
		},
		Finds: "in the world ",
		Mutants: map[string]testenv.Edit{
			"a waiter tries again before it is seen": {
				"	l.state.Or(1) // before the attempt: see Limit\n	l.serve()\n",
				"	l.serve()\n	l.state.Or(1)\n",
			},
			"a release looks before it subtracts": {
				"	s := l.state.Load()\n	for !l.state.CompareAndSwap(s, max(s>>1-n, 0)<<1|s&1) {\n		s = l.state.Load()\n	}\n	if s&1 != 0 {\n",
				"	s := l.state.Load()\n	waits := s&1 != 0\n	for !l.state.CompareAndSwap(s, max(s>>1-n, 0)<<1|s&1) {\n		s = l.state.Load()\n	}\n	if waits {\n",
			},
			"what does not fit is taken back": {
				"	for s := l.state.Load(); s&closed == 0 && n <= most-s>>1; s = l.state.Load() {\n		if l.state.CompareAndSwap(s, s+2*n) {\n			l.note(s>>1 + n)\n			return true\n		}\n",
				"	for s := l.state.Load(); s&closed == 0; s = l.state.Load() {\n		if used := l.state.Add(2*n) >> 1; used <= most {\n			l.note(used)\n			return true\n		}\n		l.state.Add(-2 * n)\n		return false\n",
			},
			"an admission compares, and then adds": {
				"		if l.state.CompareAndSwap(s, s+2*n) {\n",
				"		if l.state.Add(2*n) != 0 {\n",
			},
			"a foreign slice takes the number below 0": {
				"max(s>>1-n, 0)<<1|s&1",
				"(s>>1-n)<<1|s&1",
			},
			"a new request passes the line": {
				"l.add(n, min(most, l.limit), 1)",
				"l.add(n, min(most, l.limit), 0)",
			},
			"the line stays marked when it is empty": {
				"		l.state.And(^1)\n",
				"",
			},
			"what was granted to a request that has gone is kept": {
				"	if granted && err != nil {\n		l.Give(w.bytes)\n	}\n",
				"",
			},
			"what was granted to a request that has gone is not passed on": {
				"	if granted && err != nil {\n		l.Give(w.bytes)\n	}\n",
				"	if granted && err != nil {\n		l.state.Add(-2 * w.bytes)\n	}\n",
			},
			"nobody is served when the first goes": {
				"		l.serve() // those behind w, which may fit\n",
				"",
			},
			"a reservation gives back what it has left, and nobody gets it": {
				"		r.limit.Give(n)\n",
				"		r.limit.state.Add(-2 * n)\n",
			},
		},
	}.Run(t)
}
