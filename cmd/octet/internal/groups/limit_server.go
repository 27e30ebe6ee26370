package groups

import (
	"slices"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	units "github.com/octet-go/octet/cmd/octet/internal/sample"
)

const (
	requestSize = 1 << 20
	requestTime = 50 * time.Millisecond
	serverLimit = 128 << 20
	offered     = 4 * serverLimit / requestSize * int(time.Second/requestTime) // requests a second
)

func serverRow() contest.Row {
	const free = "no limit"
	return contest.Row{
		Name:    "op=server/limit=128MiB",
		Unit:    units.RSS,
		Aside:   "A server that gets four times the load that fits. Octet competes with itself: without a limit it serves everything, as long as there is memory.",
		Against: free,
		Process: &contest.Process{
			Operations: offered, // a second: without a limit memory grows while it lasts
			Env:        []string{"GOMEMLIMIT=256MiB"},
		},
		Contestants: []contest.Contestant{
			{Name: "limit", Ours: true, Start: func() contest.Run { return serverRun(bytespool.WithLimit(serverLimit)) }},
			{Name: free, Ours: true, Start: func() contest.Run { return serverRun() }},
		},
	}
}

// A server serves requests that each need memory for a while.
type server struct {
	pools *bytespool.CapacityPools

	mu       sync.Mutex
	served   int
	rejected []time.Duration // how long each took
	elapsed  time.Duration
}

// serverRun returns a server that has served as many requests at once as fit: the first
// use of memory, which takes the system longer than a request takes, is behind it.
func serverRun(o ...bytespool.Option) contest.Run {
	s := &server{pools: bytespool.NewCapacityPools(octetMin, octetMax, o...)}
	var bs [serverLimit / requestSize][]byte
	for i := range bs {
		bs[i] = s.pools.New(requestSize)
		touch(bs[i])
	}
	for _, b := range bs {
		s.pools.Release(b)
	}
	return contest.Run{Do: s.load, Metrics: s.metrics}
}

// touch makes sure that the system has given the memory of b to the program.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4 << 10 {
		b[i]++
	}
}

// load has n requests come at even intervals, whatever becomes of them, and returns when all
// have ended. Those that are due when their time is over do not come: without a limit, the
// server takes longer and longer for each.
func (s *server) load(n int) {
	start := time.Now()
	end := start.Add(time.Duration(n) * time.Second / time.Duration(offered))
	var wg sync.WaitGroup
	for i := range n {
		if wait := time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(offered))); wait > 0 {
			time.Sleep(wait)
		} else if time.Now().After(end) {
			break
		}
		wg.Go(s.request)
	}
	wg.Wait()
	s.elapsed += time.Since(start) - requestTime // until the last one has its memory
}

func (s *server) request() {
	start := time.Now()
	b, err := s.pools.TryNew(requestSize)
	if err != nil {
		took := time.Since(start)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.rejected = append(s.rejected, took)
		return
	}
	touch(b)
	time.Sleep(requestTime)
	s.pools.Release(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served++
}

func (s *server) metrics() map[string]float64 {
	m := map[string]float64{"served/s": float64(s.served) / s.elapsed.Seconds()}
	if n := len(s.rejected); n > 0 {
		slices.Sort(s.rejected)
		m["reject-p99-ns"] = float64(s.rejected[n*99/100])
	}
	return m
}
