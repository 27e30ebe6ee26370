//go:build !octet_purego

package limit

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestLimitInterleavings runs TestLimitInterleaved, which explores the orders of the
// steps of requests, releases, waiters, their turns, and contexts that end. For that this
// package is built with copies of limit.go and reservation.go whose atomic variables
// and locks are steps, and in which a waiter waits as a thread does; otherwise they are the
// same. To show that it finds faults, it must find those of mutants of these files (flag
// -mutants).
func TestLimitInterleavings(t *testing.T) {
	testenv.Exploration{
		Test:  "TestLimitInterleaved",
		Files: []string{"limit.go", "reservation.go"},
		Steps: []testenv.Edit{
			{"	\"sync\"\n	\"sync/atomic\"\n	\"time\"\n", "	\"time\"\n\n	atomic \"github.com/octet-go/octet/internal/interleave\"\n"},
			{"	\"sync\"\n\n", "\n	atomic \"github.com/octet-go/octet/internal/interleave\"\n"},
			{"		select {\n		case <-w.ready:\n		case <-ctx.Done():\n		case <-timer.C:\n			if next := l.tick(w); next > 0 {\n				timer.Reset(next)\n				continue\n			}\n		}\n", "		modelWait(w, ctx)\n"},
			{"sync.Mutex", "atomic.Mutex"},
		},
		Finds: "in the world ",
		Mutants: map[string]testenv.Edit{
			"a waiter tries again before it is seen": {
				"	l.waiting.Add(1) // before the attempt: see Limit\n	l.serve()\n",
				"	l.serve()\n	l.waiting.Add(1)\n",
			},
			"a release looks before it subtracts": {
				"	for used := l.used.Load(); !l.used.CompareAndSwap(used, max(used-n, 0)); {\n		used = l.used.Load()\n	}\n	if l.waiting.Load() > 0 {",
				"	waiting := l.waiting.Load()\n	for used := l.used.Load(); !l.used.CompareAndSwap(used, max(used-n, 0)); {\n		used = l.used.Load()\n	}\n	if waiting > 0 {",
			},
			"what does not fit is taken back": {
				"	for used := l.used.Load(); n <= l.limit-used; used = l.used.Load() {\n		if l.used.CompareAndSwap(used, used+n) {\n			l.note(used + n)\n			return true\n		}\n	}\n	return false\n",
				"	if used := l.used.Add(n); used <= l.limit {\n		l.note(used)\n		return true\n	}\n	l.used.Add(-n)\n	return false\n",
			},
			"an admission compares, and then adds": {
				"		if l.used.CompareAndSwap(used, used+n) {\n",
				"		if l.used.Add(n) != 0 {\n",
			},
			"a foreign slice takes the number below 0": {
				"max(used-n, 0)",
				"used-n",
			},
			"what was granted to a request that has gone is kept": {
				"	if granted && err != nil {\n		l.Give(w.bytes)\n	}\n",
				"",
			},
			"what was granted to a request that has gone is not passed on": {
				"	if granted && err != nil {\n		l.Give(w.bytes)\n	}\n",
				"	if granted && err != nil {\n		l.used.Add(-w.bytes)\n	}\n",
			},
			"the end of a turn serves nobody": {
				"		l.serve() // those whom the turn has kept waiting\n",
				"",
			},
			"who goes in its turn keeps it": {
				"	if l.turn.Load() == w {\n		l.turn.Store(nil)\n	}\n",
				"",
			},
			"a turn in a bubble excludes new requests outside": {
				"	return w != nil && w.bubble == rt.Bubble()\n",
				"	return w != nil\n",
			},
			"a turn in a bubble excludes waiters outside": {
				" && turn.bubble == w.bubble\n",
				"\n",
			},
			"the end of a turn by another serves nobody": {
				"	l.serve() // those whom a turn in another bubble has kept waiting\n",
				"",
			},
			"nobody is served when one goes in its turn": {
				"		l.serve() // those whom its turn has kept waiting\n",
				"",
			},
			"a reservation gives back what it has left, and nobody gets it": {
				"		r.limit.Give(n)\n",
				"		r.limit.used.Add(-n)\n",
			},
		},
	}.Run(t)
}
