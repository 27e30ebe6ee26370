package bytespool_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/octet-go/octet/compat/bytespool"
	"github.com/octet-go/octet/internal/testenv"
)

func TestRuntimeStats(t *testing.T) {
	testenv.Quietly(t)
	p, q := bytespool.NewCapacityPools(2, 1024), bytespool.NewCapacityPools(2, 64)
	want := func(when, sums string, top ...bytespool.PoolStat) {
		t.Helper()
		if got := fmt.Sprint(bytespool.RuntimeStats(p, q, nil)); got != sums {
			t.Errorf("%s: got %s, want %s", when, got, sums)
		}
		s := bytespool.RuntimeStatsSummary(math.MaxInt, p, q)
		if !slices.Equal(s.TopPools, top) {
			t.Errorf("%s: classes %+v, want %+v", when, s.TopPools, top)
		}
		for _, n := range []int{-1, 0, 1, 2, 100} {
			some := top[:min(max(n, 0), len(top))]
			if got := bytespool.PoolReuseStats(n, p, q); !slices.Equal(got, some) {
				t.Errorf("%s: PoolReuseStats(%d) = %+v, want %+v", when, n, got, some)
			}
			if got := bytespool.RuntimeStatsSummary(n, p, q); !slices.Equal(got.TopPools, some) || got.NewBytes != s.NewBytes {
				t.Errorf("%s: RuntimeStatsSummary(%d) = %+v, want %+v", when, n, got, some)
			}
		}
	}
	p.Release(p.New(100)) // before: does not count
	want("before", "map[]")
	p.SetWithStats(true)
	p.SetWithStats(true)
	p.Release(p.New(100))
	for range 3 {
		p.New(600)
	}
	p.New(2000)
	want("one pool", "map[NewBytes:3072 OutBytes:2000 OutCount:1 ReusedBytes:128]", bytespool.PoolStat{Rank: 1, Capacity: 128, ReuseHits: 1})
	q.SetWithStats(true)
	for range 2 {
		q.Release(q.New(30))
	}
	for range 5 {
		q.Release(q.New(60))
	}
	all := []bytespool.PoolStat{{Rank: 1, Capacity: 64, ReuseHits: 4}, {Rank: 2, Capacity: 32, ReuseHits: 1}, {Rank: 3, Capacity: 128, ReuseHits: 1}}
	sums := "map[NewBytes:3168 OutBytes:2000 OutCount:1 ReusedBytes:416]"
	want("two pools", sums, all...)

	// What was counted is kept while it is off, and what comes then does not count.
	p.SetWithStats(false)
	q.SetWithStats(false)
	if p.GetWithStats() {
		t.Error("statistics are on")
	}
	want("off", "map[]")
	q.Release(q.New(60))
	p.New(5000)
	p.SetWithStats(true)
	q.SetWithStats(true)
	want("on again", sums, all...)
	q.Release(q.New(60))
	all[0].ReuseHits++
	want("later", "map[NewBytes:3168 OutBytes:2000 OutCount:1 ReusedBytes:480]", all...)
}
