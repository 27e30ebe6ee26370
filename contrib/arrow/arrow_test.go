package arrow

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/pooltest"
)

var _ memory.Allocator = (*bytespool.Allocator)(nil)

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "value", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "ok", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "tags", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
}, nil)

// build returns a batch, which the caller releases. One value in eight is null: arrow
// does not write to the place of its value.
func build(mem memory.Allocator, rows int) arrow.RecordBatch {
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	r := rand.New(rand.NewPCG(uint64(rows), 3))
	id, value := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.Float64Builder)
	name, ok := b.Field(2).(*array.StringBuilder), b.Field(3).(*array.BooleanBuilder)
	tags := b.Field(4).(*array.ListBuilder)
	tag := tags.ValueBuilder().(*array.Int32Builder)
	for i := range rows {
		id.Append(int64(i))
		if r.IntN(8) == 0 {
			value.AppendNull()
			name.AppendNull()
			ok.AppendNull()
			tags.AppendNull()
			continue
		}
		value.Append(r.Float64())
		name.Append("a name of some length"[:r.IntN(20)])
		ok.Append(i%3 == 0)
		tags.Append(true)
		for j := range i % 4 {
			tag.Append(int32(j))
		}
	}
	return b.NewRecordBatch()
}

// write returns batches as an IPC stream.
func write(t testing.TB, mem memory.Allocator, batches ...arrow.RecordBatch) []byte {
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema), ipc.WithAllocator(mem))
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// read wants the batches of a stream to equal those given.
func read(t testing.TB, mem memory.Allocator, stream []byte, want ...arrow.RecordBatch) {
	r, err := ipc.NewReader(bytes.NewReader(stream), ipc.WithAllocator(mem))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for i, b := range want {
		if !r.Next() {
			t.Fatalf("the stream ends after %d batches: %v", i, r.Err())
		}
		if !array.RecordEqual(r.RecordBatch(), b) {
			t.Errorf("batch %d came back changed", i)
		}
	}
	if r.Next() || r.Err() != nil {
		t.Errorf("there is more in the stream, or an error: %v", r.Err())
	}
}

var rowCounts = []int{0, 1, 7, 64, 1000, 8192, 20000}

// roundTrip builds batches, writes them, reads them back, and returns the stream.
func roundTrip(t testing.TB, mem memory.Allocator) []byte {
	var batches []arrow.RecordBatch
	for _, n := range rowCounts {
		b := build(mem, n)
		defer b.Release()
		batches = append(batches, b)
	}
	stream := write(t, mem, batches...)
	read(t, mem, stream, batches...)
	return stream
}

// dirty fills the pools with memory that shows old bytes.
func dirty(p *bytespool.Pool) {
	for size := 64; size <= 4<<20; size *= 2 {
		var held [][]byte
		for range 4 {
			b := p.New(size)
			for i := range b {
				b[i] = 0xAA
			}
			held = append(held, b)
		}
		for _, b := range held {
			p.Release(b)
		}
	}
}

// TestSameBytes wants streams to be byte for byte what they are with GoAllocator, which
// clears, on pools that are full of old bytes, and arrow's own checks to find no leak.
func TestSameBytes(t *testing.T) {
	want := roundTrip(t, memory.NewGoAllocator())
	for _, mode := range []checked.Options{{}, {Mode: checked.Sample, OneIn: 4}, {Mode: checked.Full, Foreign: true}, {Mode: checked.Guard, Foreign: true}} {
		for _, steps := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%v/steps=%d", mode.Mode, steps), func(t *testing.T) {
				stop, err := checked.Start(mode)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(stop)
				t.Cleanup(checked.Handle(func(r *checked.Report) { t.Errorf("%v", r) }))
				pools := bytespool.NewPool(bytespool.WithSizes(64, 4<<20), bytespool.WithSteps(steps))
				if mode.Mode >= checked.Full {
					pooltest.NoLeaks(t, pools)
				}
				dirty(pools)
				mem := memory.NewCheckedAllocator(bytespool.NewAllocator(pools))
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						if got := roundTrip(t, mem); !bytes.Equal(got, want) {
							t.Error("the stream is not the one of GoAllocator")
						}
					})
				}
				wg.Wait()
				mem.AssertSize(t, 0)
				if n := pools.Stats().InUse; n != 0 {
					t.Errorf("%d slices are in use", n)
				}
			})
		}
	}
}
