package measure

import (
	"testing"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

func planned(least int, op float64) *entrant {
	return &entrant{
		least: least,
		cost:  cost{fixed: 200 * time.Microsecond, op: op},
		c:     new(contest.Contestant),
	}
}

func TestPlan(t *testing.T) {
	const rounds = 10
	light := make([]*entrant, 600)
	for i := range light {
		light[i] = planned(1, 12)
	}
	heavy := planned(1, 100e6)  // 100 ms
	crowd := planned(1000, 5e3) // 5 ms at least
	rows := [][]*entrant{light, {heavy}, {crowd}}

	for _, budget := range []time.Duration{14 * time.Second, 95 * time.Second} {
		plan(rows, rounds, 0, budget)
		if got := roundTime(rows, 0); got > float64(budget)/rounds {
			t.Fatalf("%v: the fewest operations take %v a round", budget, time.Duration(got))
		}
		if heavy.c.N != 1 {
			t.Errorf("%v: %d operations of 100 ms", budget, heavy.c.N)
		}
		if crowd.c.N < 1000 {
			t.Errorf("%v: %d operations in place of at least 1,000", budget, crowd.c.N)
		}
		sum := 0.0
		for _, row := range rows {
			for _, e := range row {
				sum += rounds * (float64(e.cost.fixed) + float64(e.c.N+warmUps(e.c.N))*e.cost.op)
			}
		}
		if d := time.Duration(sum); d > budget || d < budget*9/10 {
			t.Errorf("the rounds take %v of %v", d, budget)
		}
	}

	plan(rows, rounds, 5*time.Millisecond, time.Hour)
	if want := 5_000_000 / 12; light[0].c.N != want {
		t.Errorf("%d operations in 5 ms, want %d", light[0].c.N, want)
	}
	plan(rows, rounds, 0, -time.Second) // calibration used up all the time
	if want := 500_000 / 12; light[0].c.N != want || crowd.c.N != 1000 {
		t.Errorf("without time, %d and %d operations", light[0].c.N, crowd.c.N)
	}
}

func TestPlanCycles(t *testing.T) {
	for _, tt := range []struct {
		bytes, allocs, op float64
		want              int
	}{
		{64 << 10, 1, 10e3, 64},
		{5 << 20, 3, 1e6, 1},
		{0, 0, 10, 0},
		{100, 0.01, 10, 0}, // a pool was filled
		{16, 1, 20, 0},     // 262,144 operations are 5 ms
	} {
		if got := cycle(tt.bytes, tt.allocs, tt.op); got != tt.want {
			t.Errorf("%v B/op, %v allocs/op, %v ns/op: %d operations a cycle, want %d", tt.bytes, tt.allocs, tt.op, got, tt.want)
		}
	}
	e := planned(1, 10e3)
	e.cycle = 64
	for slice, want := range map[float64]int{0: 128, 1e6: 128, 2e6: 192, 3.1e6: 320, 1e9: 100032} {
		if got := e.operations(slice); got != want {
			t.Errorf("%d operations in %v ns, want %d", got, slice, want)
		}
	}
}
