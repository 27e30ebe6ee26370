package sanitize_test

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

// right has correct uses, which nothing must report.
var right = map[string]func(t *testing.T){
	"released by a cleanup": func(t *testing.T) {
		p := new(pool)
		var released atomic.Int32
		for range 10 {
			type owner struct{ b []byte }
			o := &owner{p.get(4096)}
			fill(o.b)
			runtime.AddCleanup(o, func(b []byte) { p.put(b); released.Add(1) }, o.b)
		}
		collectUntil(func() bool { return released.Load() == 10 })
		for range 10 {
			fill(p.get(4096))
		}
	},
	"dropped and allocated anew": func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(10))
		for round := range 20 {
			p := new(pool)
			var all [][]byte
			for _, n := range []int{5, 8, 13, 64, 100, 1000, 4096, 40_000} {
				for range 20 {
					all = append(all, p.get(n))
				}
			}
			for _, b := range all {
				fill(b)
				p.put(b)
			}
			p, all = nil, nil // the collector takes released memory back
			runtime.GC()
			var kept [][]byte
			for n := 1; n < 10_000; n += 1 + n/10 {
				b := make([]byte, n)
				fill(b)
				kept = append(kept, b[:n:n])
			}
			useStack(2000 + round) // stacks are made of the same memory
			runtime.KeepAlive(kept)
		}
	},
	"every small capacity": func(t *testing.T) {
		for n := range 70 {
			p := new(pool)
			b := p.get(n)
			fill(b)
			p.put(b)
			fill(p.get(n))
		}
	},
	"neighbours": func(t *testing.T) { // parts of one block, not at multiples of 8
		block := make([]byte, 64)
		p := new(pool)
		for from := range 8 {
			for n := range 20 {
				b := block[from : from+n : from+n]
				p.put(b)
				fill(block[:from])
				fill(block[from+n:])
				fill(p.get(n))
				fill(block)
			}
		}
	},
	"atomics inside": func(t *testing.T) {
		p := new(pool)
		var done sync.WaitGroup
		for range 4 {
			done.Go(func() {
				for range 20 {
					b := p.get(64)
					clear(b)
					count := (*atomic.Int64)(unsafe.Pointer(&b[0]))
					var users sync.WaitGroup
					for range 2 {
						users.Go(func() { count.Add(1) })
					}
					users.Wait()
					p.put(b)
				}
			})
		}
		done.Wait()
	},
	"in a bubble": func(t *testing.T) {
		p := new(pool)
		outside := p.get(100)
		synctest.Test(t, func(*testing.T) {
			var done sync.WaitGroup
			for range 4 {
				done.Go(func() {
					for range 10 {
						b := p.get(100)
						fill(b)
						time.Sleep(time.Second)
						p.put(b)
					}
				})
			}
			done.Wait()
			p.put(outside)
		})
		synctest.Test(t, func(*testing.T) { fill(p.get(100)) })
		fill(p.get(100))
	},
}

// collectUntil collects garbage until done.
func collectUntil(done func() bool) {
	for !done() {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// useStack makes the stack of a new goroutine grow to about 100 bytes times depth.
func useStack(depth int) {
	var deep func(n int) byte
	deep = func(n int) byte {
		var local [100]byte
		local[n%100] = 1
		if n == 0 {
			return local[0]
		}
		return deep(n-1) + local[n%100]
	}
	var done sync.WaitGroup
	done.Go(func() { deep(depth) })
	done.Wait()
}
