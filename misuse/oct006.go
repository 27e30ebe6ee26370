//lint:file-ignore SA1019 programs written for the earlier package misuse memory by these names

package main

import (
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

const partReleased = "octet: OCT006: part released"

var oct006 = class{
	code:  "OCT006",
	title: "part released",
	kinds: []kind{
		{
			what: "a part of a slice is released",
			found: found{
				sample: logged(partReleased).given(sampled),
				full:   panicked(partReleased),
				guard:  panicked(partReleased),
			},
			programs: []program{
				{headConsumed, "b = b[n:] in a parser, and then Release(b)"},
				{halfReleased, "one half is released, the other is still in use"},
				{capacityCut, "b[:n:n] is released"},
			},
		},
		{
			what: "a part of a Buffer's array is released",
			found: found{
				full:  panicked(partReleased),
				guard: panicked(partReleased),
			},
			programs: []program{
				{bufferFieldCut, "the field B of a Buffer lost its head"},
				{detachedTail, "a part of what Detach returned is released"},
			},
		},
		{
			what: "a part is released whose capacity is a power of two",
			found: found{
				sample: logged(partReleased).given(sampled),
				full:   panicked(partReleased),
				guard:  panicked(partReleased),
			},
			programs: []program{
				{middleReleased, "b[i:j:k] is released"},
			},
		},
		{
			what: "an empty part is released",
			found: found{
				sample: logged(neverReleased).given(sampledCollected),
				full:   logged(neverReleased).given(whenCollected),
			},
			programs: []program{
				{allConsumed, "b = b[n:] until nothing is left, capacity included"},
			},
		},
	},
	alike: oct006Alike,
}

// headConsumed parses a frame of three fields and gives back what is left.
func headConsumed() {
	b := append(bytespool.Make(19), "\x03key\x05value\x00and more"...) // acquired
	for b[0] != 0 {
		n := int(b[0])
		use(b[1 : 1+n])
		b = b[1+n:]
	}
	bytespool.Release(b) // now
}

func halfReleased() {
	b := bytespool.New(1024) // acquired
	request, response := b[:512], b[512:]
	bytespool.Release(response) // now
	use(request[0])
}

func capacityCut() {
	b := bytespool.New(1024) // acquired
	head := b[:100:100]
	bytespool.Release(head) // now
}

func middleReleased() {
	b := bytespool.New(4096)          // acquired
	bytespool.Release(b[64:128:1088]) // now
}

func bufferFieldCut() {
	buf := buffer.Get() // acquired
	buf.WriteString("HTTP/1.1 200 OK")
	buf.B = buf.B[9:]
	buf.Release() // now
}

func detachedTail() {
	buf := buffer.Get()
	buf.WriteString("4711 the rest of it")
	b := buf.Detach() // acquired
	buf.Release()
	bytespool.Release(b[5:]) // now
}

func allConsumed() {
	b := bytespool.New(64) // acquired
	b = b[:cap(b)]
	for len(b) > 0 {
		use(b[0])
		b = b[1:]
	}
	bytespool.Release(b)
}
