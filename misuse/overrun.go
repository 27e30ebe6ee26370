package main

import (
	"unsafe"

	"github.com/octet-go/octet/bytespool"
)

const beyondEnd = "octet: OVERRUN: accessed beyond its end"

// Go's bounds checks leave overruns to unsafe code, assembly and C.
var overrun = class{
	code:  "OVERRUN",
	title: "access past the end",
	kinds: []kind{
		{
			what: "unsafe code runs past the end",
			found: found{
				guard: faulted(beyondEnd),
				race:  failed("fatal error: checkptr"),
				asan:  finding{how: poisoned, text: "ERROR: AddressSanitizer"},
			},
			programs: []program{
				{wordAtTheEnd, "a loop over words reads the last bytes as a word"},
				{sentinelExpected, "a loop looks for a zero byte behind the end"},
			},
		},
	},
	alike: overrunAlike,
}

// wordAtTheEnd reads eight bytes where there is one.
func wordAtTheEnd() {
	b := bytespool.New(128) // acquired
	last := unsafe.Pointer(&b[127])
	use(*(*uint64)(last)) // now
	bytespool.Release(b)
}

func sentinelExpected() {
	b := bytespool.New(64) // acquired
	for i := range b {
		b[i] = 'x'
	}
	p := unsafe.Pointer(&b[0])
	for i := 0; i < 128 && *(*byte)(unsafe.Add(p, i)) == 'x'; i++ { // now
	}
	bytespool.Release(b)
}
