// Package patterns has the benchmarks of the group patterns: ways in which programs use
// pools. Each contestant does a fixed amount of work in a process of its own, and what
// counts is the memory and the processor time that it needs for it. Every slice that is
// taken has a byte of each of its pages written, once.
//
// Octet promises to need in every pattern at most 1.25 times the memory of a sync.Pool and
// 16 MiB, and at most 1.1 times its processor time, or 1.6 times where it needs less than
// half of the memory. The sync.Pool meant is the better-suited one, as an expert would
// choose it for the pattern: one for each power of two, or one for all where slices grow
// after they were taken. It is the only rival.
//
// To profile a contestant, run it as a benchmark, in the environment that --list shows:
//
//	go test -run '^$' -bench 'Patterns/use=grow/octet$' -benchtime 1x -full -cpu 4 -cpuprofile cpu.out ./cmd/octet/internal/patterns
//
// # Map
//
//	patterns.go  the group, and the table of all patterns
//	pools.go     the pools that are compared
//	work.go      what the patterns have in common
//	uses.go      what the patterns do
package patterns

import (
	"slices"
	"strings"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A pattern is a way to use a pool.
type pattern struct {
	name  string   // of the row
	about string   // what it does; an operation is what it does again and again
	n     int      // operations: the peer needs 0.1 to 1 s of processor time
	env   []string // of the processes
	grows bool     // slices grow after they were taken: the peer is a single sync.Pool
	ours  func() pool
	start func(open func() pool) func(n int) // as contest.Contestant's, with what opens a pool
}

const procs = "GOMAXPROCS=4" // of the processes, unless --procs changes it

// Group returns the group.
func Group() contest.Group {
	g := contest.Group{
		Name: "patterns",
		About: "Patterns of use, each a fixed amount of work in a process of its own (GOMAXPROCS=4, or --procs). " +
			"Memory is the most that was resident beyond what the process had before; time is the processor time, user and system. " +
			"octet bench --list --run ^patterns says what each of them does.",
	}
	for _, p := range all() {
		g.Rows = append(g.Rows, p.row())
	}
	return g
}

func (p *pattern) row() contest.Row {
	contestant := func(name string, open func() pool) contest.Contestant {
		return contest.Contestant{Name: name, Start: func() func(int) { return p.start(open) }}
	}
	r := contest.Row{
		Name:        p.name,
		About:       strings.Join(append([]string{p.about}, p.env...), " "),
		Process:     &contest.Process{Operations: p.n, Env: append([]string{procs}, p.env...), Promise: true},
		Contestants: []contest.Contestant{contestant("octet", p.octet()), contestant("sync.Pool by size", newSized)},
	}
	if p.grows {
		r.Contestants[1] = contestant("one sync.Pool", newSingle)
	}
	return r
}

// octet returns what opens octet's pool.
func (p *pattern) octet() func() pool {
	if p.ours != nil {
		return p.ours
	}
	return newOctet()
}

// all returns all patterns: those that are known to be hard, then what programs often do.
func all() []pattern {
	const off = "GOGC=off"
	return []pattern{
		{name: "use=pipeline", n: 120_000, start: flows(flow{size: 1 << 20, depth: 4, releasers: 1}),
			about: "One goroutine takes chunks of 1 MiB, another releases them; a channel of 4 is between them."},
		{name: "use=pipelines", n: 1_500, start: flows(eightFlows()...),
			about: "Eight pipelines at once, with chunks of 32 KiB, 64 KiB, and so on to 4 MiB; each moves as many bytes."},
		{name: "use=fanout", n: 60_000, start: flows(flow{size: 1 << 20, depth: 16, releasers: 16}),
			about: "One goroutine takes chunks of 1 MiB, sixteen release them; a channel of 16 is between them."},
		{name: "use=phases", n: 2 * 9 * 30, start: phases,
			about: "Four goroutines take 32 MiB in slices of one size, release them, and make 1 MiB of garbage; 30 times for each size from 4 KiB to 1 MiB, and all that twice."},
		{name: "use=turns", n: 10_000, start: turns,
			about: "One goroutine goes through 200 pools in turn: it takes 20 slices of 16 KiB, releases them, and makes 64 KiB of garbage."},
		{name: "use=turns/limit=128MiB", n: 10_000, start: turns, env: []string{"GOMEMLIMIT=128MiB", off},
			about: "The same below a memory limit."},
		{name: "use=held", n: 40_000, start: held,
			about: "Each of four goroutines takes 1 KiB, appends 60 KiB, releases that, and after four times takes 512 B, which it holds to the end."},
		{name: "use=oneway", n: 12_000, start: oneWay,
			about: "Four goroutines allocate slices of 256 KiB and release them to a pool that nobody takes from."},
		{name: "use=connections", n: 20_000, start: connections,
			about: "Four goroutines open a pool for each connection, serve eight requests with it, for 4 KiB and 16 KiB each, and drop it."},
		{name: "use=live/limit=88MiB", n: 80_000, start: live, env: []string{"GOMEMLIMIT=88MiB", off},
			about: "61 MiB are live, all pointers; each of four goroutines holds nine slices of 4 to 256 KiB, replaces one after the other, and makes 4 KiB of garbage for each."},
		{name: "use=live/limit=96MiB", n: 80_000, start: live, env: []string{"GOMEMLIMIT=96MiB", off}, about: "The same."},
		{name: "use=live/limit=96MiB/gogc=100", n: 80_000, start: live, env: []string{"GOMEMLIMIT=96MiB"}, about: "The same."},
		{name: "use=live/limit=112MiB", n: 80_000, start: live, env: []string{"GOMEMLIMIT=112MiB", off}, about: "The same."},
		{name: "use=loguniform", n: 700_000, start: logUniform,
			about: "Each of four goroutines holds 16 slices of 64 B to 1 MiB, as many of each doubling, and replaces one after the other."},
		{name: "use=sleepers", n: 300_000, start: sleepers(func(p pool, i int) slice { return take(p, 4<<10<<(i%4)) }),
			about: "Each of 500 goroutines takes 4 to 32 KiB, sleeps for a millisecond, and releases it."},
		{name: "use=garbage", n: 120, start: garbage,
			about: "Each of four goroutines takes 128 slices of 64 KiB, releases them, and makes 8 MiB of garbage."},
		{name: "use=grow", grows: true, n: 250_000, start: grow(1<<10, 4<<10, 60<<10),
			about: "Each of four goroutines takes 1 KiB, appends to it until it has 60 KiB, and releases that."},

		{name: "use=serve", n: 400, start: serve,
			about: "A burst of 256 requests is served by 64 goroutines, each with 4 KiB for the request, 1 to 64 KiB for the answer, and 2 KiB of garbage; then there is a pause of a millisecond."},
		{name: "use=cache", n: 400_000, start: cache,
			about: "Each of four goroutines has a cache of 256 slices of 1 to 64 KiB, replaces one at random, and takes and releases 4 KiB four times meanwhile."},
		{name: "use=batch", grows: true, n: 80_000, start: batch,
			about: "Each of four goroutines takes 4 KiB, appends records of 0.2 to 2 KiB to it until they have 8 to 256 KiB, and hands that to a goroutine that releases it."},
		{name: "use=requests/size=16KiB", grows: true, n: 300_000, start: requests(16),
			about: "Each of 500 goroutines takes 4 KiB, appends parts of 1 KiB to it until it has 4 to 16 KiB, sleeps for a millisecond, and releases it."},
		{name: "use=requests/size=32KiB", grows: true, n: 300_000, start: requests(32),
			about: "The same, with 4 to 32 KiB."},
		{name: "use=requests/size=32KiB/by=Append", grows: true, n: 300_000, start: requests(32), ours: func() pool { return appending{octetPool{bytespool.NewPool()}} },
			about: "The same; octet's slices grow by its Append."},
		{name: "use=requests/size=32KiB/by=Buffer", grows: true, n: 300_000, start: requests(32), ours: func() pool { return octetWriters{} },
			about: "The same; octet gets a Buffer, without a size, and writes to it."},
		{name: "use=requests/large=2%", grows: true, n: 300_000, start: sleepers(seldomLarge),
			about: "Each of 500 goroutines takes 4 KiB, appends 2 KiB to it, or one time in fifty 32 KiB, sleeps for a millisecond, and releases it."},
		{name: "use=broadcast", n: 400_000, start: broadcast,
			about: "One goroutine takes messages of 16 KiB and sends each to eight others by channels of 16; the last that has read it releases it."},
		{name: "use=bursts", n: 30, start: bursts,
			about: "Each of four goroutines takes 64 slices of 4 to 256 KiB and releases them; then there are three collections."},
		{name: "use=proxy", n: 20_000, start: flows(slices.Repeat([]flow{{size: 32 << 10, depth: 1, releasers: 1}}, 64)...),
			about: "32 connections in two directions: one goroutine reads into 32 KiB, another writes and releases them; a channel of 1 is between them."},
		{name: "use=codec/options=budget", grows: true, n: 400_000, start: grow(1000, 1000, 36_000), ours: newOctet(bytespool.WithIdleBudget(64 << 20)),
			about: "Each of four goroutines takes 1,000 B, has a codec append 35 times as much, so that its capacity is odd, and releases that. The pool has a budget of 64 MiB."},
		{name: "use=codec/options=limit", grows: true, n: 400_000, start: grow(1000, 1000, 36_000), ours: newOctet(bytespool.WithLimit(64 << 20)),
			about: "The same with a limit of 64 MiB."},
		{name: "use=codec/options=steps", grows: true, n: 400_000, start: grow(1000, 1000, 36_000), ours: newOctet(bytespool.WithSteps(4)),
			about: "The same with four classes a doubling."},
		{name: "use=log", grows: true, n: 1_500_000, start: logLines, ours: func() pool { return octetBuffers{} },
			about: "Each of four goroutines writes a line of log of 5 to 20 parts into a buffer.Buffer, one in 200 with a trace of 16 KiB, copies it out, and releases it."},
	}
}
