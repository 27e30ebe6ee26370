package check

import (
	"math/bits"
	"weak"

	"github.com/octet-go/octet/internal/rt"
)

// A PointerPool hands out slices by pointers to their headers. The program may replace the
// slice in a header: the array that came with it is then left to the collector, which is no
// leak. So who hands out a tracked slice in this way says so, and a record of the header
// leads to that of the array.
//
// In mode sample, most headers have no record, and must not be looked up. Those that have
// one begin headerAt bytes behind a multiple of headerUnit, and few others do.
const (
	headerUnit = 256
	headerAt   = 8
)

// WithHeader returns a header that shows b, which was just handed out.
func WithHeader(b []byte) *[]byte {
	block := new([8 * headerUnit / bits.UintSize][]byte)
	i := 0
	for rt.AddressOf(&block[i])%headerUnit != headerAt {
		i++
	}
	x := &block[i]
	*x = b
	now, base := load(), rt.Address(b)
	s, r := find(base, now)
	if r == nil {
		s.Unlock()
		return x
	}
	w := weak.Make(x)
	r.header = func() bool { return w.Value() != nil }
	s.Unlock()
	h := &record{base: rt.AddressOf(x), extent: 3 * bits.UintSize / 8, kind: Header, of: base, array: r, epoch: now.epoch, owned: true}
	watch(h, x)
	return x
}

// EndHeader notes that x was put, and reports whether it came from WithHeader and was not
// put before. What it came with, if it shows something else now, is not in use any more.
func EndHeader(x *[]byte) bool {
	now, base := load(), rt.AddressOf(x)
	if now.Mode == Off || base%headerUnit != headerAt {
		return false
	}
	s, h := find(base, now)
	known := h != nil && h.kind == Header
	s.Unlock()
	if !known || !remove(h) {
		return false
	}
	if rt.Address(*x) != h.of {
		s := shardOf(h.of)
		s.Lock()
		if h.array.stage == inUse {
			h.array.end(gone, caller())
		}
		s.Unlock()
	}
	return true
}
