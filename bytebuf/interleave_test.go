//go:build !octet_purego

package bytebuf_test

import (
	"bytes"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestInterleavings runs TestInterleaved, which explores all interleavings of goroutines
// that look at a buffer while another appends to a copy of it. For that it builds the
// package with a copy of lend.go that takes its atomic operations from package
// interleave and is otherwise unchanged. To show that the exploration finds faults, it
// must find those of mutants of lend.go (flag -mutants).
func TestInterleavings(t *testing.T) {
	for _, mutant := range []struct{ name, from, to, finds string }{
		{name: "as it is"},
		{
			"moved before whole",
			"\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n\tatomic.CompareAndSwapPointer(b.movedAt(), nil, unsafe.Pointer(unsafe.SliceData(p)))\n",
			"\tatomic.CompareAndSwapPointer(b.movedAt(), nil, unsafe.Pointer(unsafe.SliceData(p)))\n\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n",
			"copy and append, String, Bytes: got \"" + text100[:70],
		},
		{
			"never whole",
			"\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n", "",
			"copy and append, String, Bytes: got \"" + text100[:70],
		},
		{
			"moved stored",
			"CompareAndSwapPointer(b.movedAt(), nil, ", "StorePointer(b.movedAt(), ",
			"String, Bytes, Bytes: two slices of one buffer have different arrays",
		},
		{
			"let out without a swap",
			"b.mark.swap(s, out)", "b.mark.swap(b.shown(), out)",
			"String, Bytes, Bytes: a string changed from \"" + text100[:70],
		},
		{
			"lent without a swap",
			"b.mark.swap(s, len(b.buf))", "b.mark.swap(b.shown(), len(b.buf))",
			"String, Bytes, Bytes: two slices of one buffer have different arrays",
		},
	} {
		if mutant.from != "" && !*testenv.Mutants {
			continue
		}
		t.Run(mutant.name, func(t *testing.T) {
			t.Parallel()
			o := testenv.NewOverlay(t, "lend.go")
			if mutant.from != "" {
				o.Replace(t, mutant.from, mutant.to)
			}
			o.Replace(t, "\t\"sync/atomic\"\n", "\tatomic \"github.com/octet-go/octet/internal/interleave\"\n")
			out, err := o.Test(t, "octet_interleave", "^TestInterleaved$")
			switch {
			case mutant.from == "" && err != nil:
				t.Errorf("%v\n%s", err, out)
			case mutant.from != "" && (err == nil || !bytes.Contains(out, []byte(mutant.finds))):
				t.Errorf("not found: %v\n%s", err, out)
			}
		})
	}
}
