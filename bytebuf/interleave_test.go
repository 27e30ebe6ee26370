//go:build !octet_purego

package bytebuf_test

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestInterleavings runs TestInterleaved, which explores all interleavings of goroutines
// that look at a buffer while another appends to a copy of it. For that it builds the
// package with a copy of lend.go that takes its atomic operations from package
// interleave and is otherwise unchanged. To show that the exploration finds faults, it
// must find those of mutants of lend.go (flag -mutants).
func TestInterleavings(t *testing.T) {
	testenv.Exploration{
		Test:  "TestInterleaved",
		Files: []string{"lend.go"},
		Steps: []testenv.Edit{{"\t\"sync/atomic\"\n", "\tatomic \"github.com/octet-go/octet/internal/interleave\"\n"}},
		Finds: "String, Bytes",
		Mutants: map[string]testenv.Edit{
			"moved before whole": {
				"\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n\tatomic.CompareAndSwapPointer(b.movedAt(), nil, unsafe.Pointer(unsafe.SliceData(p)))\n",
				"\tatomic.CompareAndSwapPointer(b.movedAt(), nil, unsafe.Pointer(unsafe.SliceData(p)))\n\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n",
			},
			"never whole":            {"\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n", ""},
			"moved stored":           {"CompareAndSwapPointer(b.movedAt(), nil, ", "StorePointer(b.movedAt(), "},
			"let out without a swap": {"b.mark.swap(s, out)", "b.mark.swap(b.shown(), out)"},
			"lent without a swap":    {"b.mark.swap(s, len(b.buf))", "b.mark.swap(b.shown(), len(b.buf))"},
		},
	}.Run(t)
}
