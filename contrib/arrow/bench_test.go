//go:build unix

package arrow

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/octet-go/octet/bytespool"
)

// columns are the values of a batch.
type columns struct {
	ids    []int64
	values []float64
	names  []string
	valid  []bool
}

func newColumns(rows int) (c columns) {
	for i := range rows {
		c.ids = append(c.ids, int64(i))
		c.values = append(c.values, float64(i)/3)
		c.names = append(c.names, "a name of some length"[:i%20])
		c.valid = append(c.valid, i%8 != 0)
	}
	return c
}

// build makes a batch and releases it.
func (c *columns) build(mem memory.Allocator) {
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(c.ids, nil)
	b.Field(1).(*array.Float64Builder).AppendValues(c.values, c.valid)
	b.Field(2).(*array.StringBuilder).AppendValues(c.names, c.valid)
	b.Field(3).(*array.BooleanBuilder).AppendValues(c.valid, c.valid)
	b.Field(4).AppendNulls(len(c.ids))
	b.NewRecordBatch().Release()
}

// BenchmarkBuild builds batches. It reports the processor time of the process, which
// includes that of the collector.
func BenchmarkBuild(b *testing.B) {
	for _, rows := range []int{1024, 8192, 65536} {
		c := newColumns(rows)
		for _, contestant := range []struct {
			name string
			mem  memory.Allocator
		}{
			{"octet", bytespool.NewAllocator(bytespool.NewCapacityPools(64, 8<<20))},
			{"GoAllocator", memory.NewGoAllocator()},
		} {
			b.Run(fmt.Sprintf("rows=%d/allocator=%s", rows, contestant.name), func(b *testing.B) {
				b.ReportAllocs()
				before := cpu()
				for b.Loop() {
					c.build(contestant.mem)
				}
				b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// cpu returns the processor time that this process has used, in nanoseconds.
func cpu() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
