package oct002

import (
	"net/netip"
	"sync"
)

var scratch = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// bad: an address in text.
func address(a netip.AddrPort) []byte {
	bp := scratch.Get().(*[]byte)
	defer scratch.Put(bp)
	return a.AppendTo((*bp)[:0]) // want "OCT002: .*bp outlives its release"
}
