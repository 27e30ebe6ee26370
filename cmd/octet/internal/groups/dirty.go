package groups

import (
	"runtime"
	"strconv"

	"github.com/bytedance/gopkg/lang/dirtmake"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Dirty measures the allocation of memory that is not cleared.
func Dirty() contest.Group {
	g := contest.Group{
		Name: "dirty",
		About: "A slice is allocated and one byte of it is written: by bytespool.Bytes, which does not clear the memory, " +
			"by make, which does, and by bytedance's dirtmake, which does not.",
	}
	for kib := 1; kib <= 19; kib += 2 {
		g.Rows = append(g.Rows, dirtyRow("serial", kib<<10, func(do func(int)) func(int) { return do }))
	}
	g.Rows = append(g.Rows, dirtyRow("parallel", 1<<10, func(do func(int)) func(int) {
		return contest.Parallel(runtime.GOMAXPROCS(0), do)
	}))
	return g
}

func dirtyRow(mode string, size int, do func(func(n int)) func(n int)) contest.Row {
	return contest.Row{
		Name: "mode=" + mode + "/size=" + strconv.Itoa(size),
		Contestants: []contest.Contestant{
			start("bytespool.Bytes", true, func() func(int) {
				return do(func(n int) {
					for range n {
						b := bytespool.Bytes(size, size)
						b[0] = 1
					}
				})
			}),
			start("make", false, func() func(int) { return do(makePairs(size)) }),
			start("dirtmake", false, func() func(int) {
				return do(func(n int) {
					for range n {
						b := dirtmake.Bytes(size, size)
						b[0] = 1
					}
				})
			}),
		},
	}
}
