package arrow_test

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/octet-go/octet/bytespool"
)

// One line makes an allocator for everything of arrow-go that takes one.
func Example() {
	pools := bytespool.NewPool(bytespool.WithSizes(64, 8<<20), bytespool.WithName("arrow"))
	mem := bytespool.NewAllocator(pools)

	b := array.NewInt64Builder(mem)
	b.AppendValues([]int64{1, 2, 3}, []bool{true, false, true})
	a := b.NewInt64Array()
	b.Release()
	fmt.Println(a)
	a.Release()
	fmt.Println(pools.Stats().InUse, "in use")
	// Output:
	// [1 (null) 3]
	// 0 in use
}
