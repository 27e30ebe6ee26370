package checked_test

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/testenv"
)

var soakFor = flag.Duration("soak", 0, "how long TestSoak takes; 0 for 2 s, or a tenth of that with -short")

// TestSoak runs the programs of TestBuffersAsModel while the mode and GOMAXPROCS change.
// Nothing may be reported or lost, and memory must stay bounded. Run it for minutes with
//
//	go test -run Soak ./checked -soak 5m
func TestSoak(t *testing.T) {
	var reports atomic.Int64
	defer checked.Handle(func(r *checked.Report) {
		if reports.Add(1) < 5 {
			t.Errorf("%v", r)
		}
	})()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))

	var over atomic.Bool
	var wg sync.WaitGroup
	for _, option := range []bytespool.Option{bytespool.WithLimit(1 << 30), bytespool.WithIdleBudget(8 << 20), bytespool.WithClear(bytespool.ClearOnRelease)} {
		pool := bytespool.NewPool(bytespool.WithSizes(16, 1<<14), option)
		wg.Go(func() { runPrograms(t, pool, 8, false, func(int) bool { return !over.Load() }) })
	}
	soak := cmp.Or(*soakFor, time.Duration(testenv.Rounds(2000))*time.Millisecond)
	most := uint64(0)
	for began := time.Now(); time.Since(began) < soak && !t.Failed(); {
		for _, o := range append(modes, checked.Options{}) {
			stop, err := checked.Start(o)
			if err != nil {
				t.Fatal(err)
			}
			runtime.GOMAXPROCS(1 + rand.IntN(8))
			time.Sleep(time.Duration(1+rand.IntN(20)) * time.Millisecond)
			most = max(most, memory())
			stop()
		}
	}
	over.Store(true)
	wg.Wait()
	t.Logf("at most %d MiB were in use", most>>20)
	if most > 256<<20 {
		t.Errorf("%d MiB were in use: more than 256 MiB", most>>20)
	}
}

// memory returns how many bytes the program has mapped and not returned.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
