//go:build !octet_purego

package buffer

import (
	"math/bits"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestTenureInterleavings runs TestTenureInterleaved, which explores every order of the
// steps of a Buffer's owners, its shares and its bodies. For that this package is built with
// copies of refs.go and tenure.go whose atomic operations and locks are steps, and which
// are otherwise the same. To show that it finds faults, it must find those of mutants of
// tenure.go (flag -mutants).
func TestTenureInterleavings(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("Store is atomic on this processor, and tested on others")
	}
	if testing.Short() {
		t.Skip("there are 60,000 orders")
	}
	testenv.Exploration{
		Test:  "TestTenureInterleaved",
		Files: []string{"refs.go", "tenure.go"},
		Steps: []testenv.Edit{
			{"\t\"sync/atomic\"\n", "\tatomic \"github.com/octet-go/octet/internal/interleave\"\n"},
			{"rt.Store(&r.n, ", "r.n.Store("},
			{"\t\"sync\"\n", "\tsync \"github.com/octet-go/octet/internal/interleave\"\n"},
			{"		b.owner, b.tenure = l, lends\n", "		sync.Step()\n		b.owner, b.tenure = l, lends\n"},
		},
		Finds: "in the program ",
		Mutants: map[string]testenv.Edit{
			"what others may look at goes to the pool": {
				"				k.B = nil\n",
				"",
			},
			"bodies pile up": {
				"				k.B = nil\n				b.owner = k.owner\n			}\n",
				"				b.owner, b.tenure = from, retains\n				return\n			}\n",
			},
			"what is retained piles up": {
				"	} else {\n		b.settle()\n	}\n	o := b\n",
				"	}\n	o := b\n",
			},
			"what is retained is dropped": {
				"				b.owner.refs.add(1)\n				b.tenure = retains\n",
				"				b.owner = nil\n",
			},
			"a share that others look at gives up what it showed": {
				"		if others {\n			b.tenure = retains\n			return\n		}\n",
				"",
			},
			"the keeper forgets what was retained": {
				"	k.B, k.owner, k.use = b.B, b.owner, b.use\n",
				"	k.B, k.use = b.B, b.use\n	k.tenure = owns\n",
			},
			"the lender is not counted": {
				"	b.owner.refs.add(1)\n	return b.owner\n",
				"	return b.owner\n",
			},
			"two lend at once": {
				"func (b *Buffer) lend() *Buffer {\n	if b.refs.shared() {\n		lending.Lock()\n		defer lending.Unlock()\n",
				"func (b *Buffer) lend() *Buffer {\n	if b.refs.shared() {\n",
			},
			"a share of a lent share is not counted where the array is": {
				"		o = b.owner.owner\n",
				"",
			},
		},
	}.Run(t)
}
