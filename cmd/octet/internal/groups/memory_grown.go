package groups

import (
	"strconv"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// grownSizes are what programs take, and then what they need in turn.
var grownSizes = [][]int{
	{1 << 10, 5 << 10},
	{4 << 10, 1 << 20},
	{2 << 20, 5_000_000},
	{64, 100, 300, 1000, 2500, 5000, 12_000, 20_000, 35_000, 50_000},
}

// grownRows measure programs that take what they expect to need, and append more: their
// time, and in processes of their own their heap.
func grownRows() (rows []contest.Row) {
	for _, sizes := range grownSizes {
		name := "/take=" + strconv.Itoa(sizes[0]) + "/need=" + strconv.Itoa(sizes[len(sizes)-1])
		rows = append(rows,
			contest.Row{Name: "op=grown" + name, Contestants: growers(sizes)},
			contest.Row{
				Name: "op=grownheap" + name, Unit: sample.Peak, Contestants: growers(sizes),
				Process: &contest.Process{Operations: 2 << 30 / (sizes[len(sizes)-1] + 10_000)},
			})
	}
	return rows
}

// growers returns the contestants of a row.
func growers(sizes []int) []contest.Contestant {
	take, needs := sizes[0], sizes[1:]
	data := make([]byte, needs[len(needs)-1])
	// each has op called for each need in turn.
	each := func(name string, ours bool, start func() func(d []byte)) contest.Contestant {
		return contest.Contestant{Name: name, Ours: ours, Start: func() contest.Run {
			op, i := start(), 0
			return contest.Run{Do: func(n int) {
				for range n {
					op(data[:needs[i]])
					if i++; i == len(needs) {
						i = 0
					}
				}
			}}
		}}
	}
	newPools := func() *bytespool.CapacityPools { return bytespool.NewCapacityPools(octetMin, octetMax) }
	return []contest.Contestant{
		each("octet", true, func() func([]byte) {
			p := newPools()
			return func(d []byte) { p.Release(append(p.Make(take), d...)) }
		}),
		each("octet, its Append", true, func() func([]byte) {
			p := newPools()
			return func(d []byte) { p.Release(p.Append(p.Make(take), d...)) }
		}),
		each("octet PointerPool", true, func() func([]byte) {
			p := bytespool.NewPointerPool(newPools())
			return func(d []byte) {
				b := p.Get(take)
				*b = append((*b)[:0], d...)
				p.Put(b)
			}
		}),
		each("octet Buffer", true, func() func([]byte) {
			return func(d []byte) {
				b := buffer.Make(take)
				b.Append(d)
				b.Release()
			}
		}),
		each("sync.Pool", false, func() func([]byte) {
			var p sync.Pool
			return func(d []byte) {
				b, _ := p.Get().(*[]byte)
				if b == nil {
					s := make([]byte, 0, take)
					b = &s
				}
				*b = append((*b)[:0], d...)
				p.Put(b)
			}
		}),
	}
}
