//go:build !octet_purego

package engine

import (
	"bytes"
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

// TestLimitInterleavings runs TestLimitInterleaved, which explores the orders of the
// steps of requests, releases, waiters, ticks and contexts that end near a limit. For
// that this package is built with copies of its files whose locks, counters, credits
// and switches of the fast paths are steps, in which each thread has a processor of
// its own, and time passes when a tick is due; otherwise they are the same. To show that
// it finds faults, it must find those of mutants of these files (flag -mutants). The
// first closes the fast paths and relies on that: a Release that had passed them wakes
// nobody.
func TestLimitInterleavings(t *testing.T) {
	if !rt.Pinned {
		t.Skip("the fast paths are those of the portable engine")
	}
	type edit struct{ from, to string }
	for name, mutant := range map[string]edit{
		"as it is": {},
		"closing alone": {
			"	l.queue = append(l.queue, w)\n	l.tick()\n",
			"	l.queue = append(l.queue, w)\n",
		},
		"a tick does not sweep": {
			"		l.ticking = false\n		l.sweep()\n",
			"		l.ticking = false\n",
		},
		"a credit is spent before the slice is counted": {
			"				if x := r.pop(); x.some() {\n					rt.StoreRelease(left, *left-uint64(c.capacity)) // last: a sweep must see one of the two\n",
			"				if r.stack.Load().newest(r.top).some() {\n					rt.StoreRelease(left, *left-uint64(c.capacity))\n					x := r.pop()\n",
		},
		"credits are read after the requests": {
			"	l.used = 0\n	for k := range l.inUse {\n",
			"	l.unspent = 0\n	for i := range l.credits {\n		l.unspent += int64(atomic.LoadUint64(&l.credits[i].left))\n	}\n	l.used = 0\n	for k := range l.inUse {\n",
		},
		"requests are read before releases": {
			"		l.inUse[k] = -l.base[k] - p.returned(k)*int64(p.classes[k].capacity)\n",
			"		handed := p.handedOut(k)\n		l.inUse[k] = -l.base[k] - p.returned(k)*int64(p.classes[k].capacity) - p.handedOut(k)*int64(p.classes[k].capacity) + handed*int64(p.classes[k].capacity)\n",
		},
		"what is admitted is not held": {
			"	l.held += bytes\n	l.stats.Admitted++\n	return true\n}\n\n// admitFar",
			"	l.stats.Admitted++\n	return true\n}\n\n// admitFar",
		},
		"who goes keeps what was granted": {
			"	if w.granted {\n		l.held -= w.bytes\n",
			"	if w.granted {\n",
		},
		"a release is counted late, as one from elsewhere": {
			"	if n <= l.inUse[k] {\n		l.inUse[k] -= n\n		l.used -= n\n	} else {\n		l.sweep() // it came from elsewhere, or was counted late\n	}\n",
			"	l.used -= l.inUse[k]\n	l.inUse[k] -= n\n	l.rebase(k)\n	l.used += l.inUse[k]\n",
		},
	} {
		if mutant.from != "" && !*testenv.Mutants {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := testenv.NewOverlay(t, "limit.go", "admit.go", "class.go", "new.go", "release.go", "record.go", "stats.go")
			if mutant.from != "" {
				o.Replace(t, mutant.from, mutant.to)
			}
			for _, e := range []edit{
				{"package engine\n\nimport (\n	\"sync\"\n	\"sync/atomic\"\n	\"time\"\n\n	\"github.com/octet-go/octet/internal/rt\"\n)\n",
					"package engine\n\nimport (\n	\"time\"\n\n	atomic \"github.com/octet-go/octet/internal/interleave\"\n)\n"},
				{"	mu      sync.Mutex\n	inUse ", "	mu      atomic.Mutex\n	inUse "},
				{"	nearPeriod = 10 * time.Millisecond", "	nearPeriod = 0"},
				{"	sweeps     = 3 ", "	sweeps     = 1 "}, // or there are too many orders
				{"	time.AfterFunc(tickPeriod, func() {\n", "	model.after(func() {\n"},
				{"	select {\n	case <-w.ready:\n	case <-ctx.Done():\n	}\n", "	model.wait(w, ctx)\n"},
				{"	pinned  atomic.Uintptr //", "	pinned  modelUintptr //"},
				{"	return atomic.LoadUint64(n)\n", "	return modelLoad(n)\n"},
				{"	\"sync/atomic\"\n	\"time\"\n)\n\n// Stats is", "	\"time\"\n)\n\n// Stats is"},
			} {
				o.Replace(t, e.from, e.to)
			}
			o.ReplaceAll("time.Since(started)", "model.now")
			o.ReplaceAll("rt.Pin()", "modelPin()")
			o.ReplaceAll("rt.Unpin()", "modelUnpin()")
			o.ReplaceAll("rt.StoreRelease(", "modelStore(")
			o.ReplaceAll("l.gets++", "modelAdd(&l.gets)")
			out, err := o.Test(t, "octet_interleave", "^TestLimitInterleaved$")
			symptom := "in the world "
			if name == "closing alone" {
				symptom = "waits for ever"
			}
			switch found := bytes.Contains(out, []byte(symptom)); {
			case mutant.from == "" && err != nil:
				t.Errorf("%v\n%s", err, out)
			case mutant.from != "" && !found:
				t.Errorf("not found: %v\n%s", err, out)
			}
		})
	}
}
