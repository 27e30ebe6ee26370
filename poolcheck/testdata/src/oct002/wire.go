package oct002

import (
	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool"
)

type message struct {
	id   uint32
	body []byte
}

// bad: through a chain of assignments, and a Decoder of a part.
func decodedDeep(n int) []byte {
	b := binary.BE(bytespool.Make(n)).Uint32(1)
	defer bytespool.Release(b)
	outer := binary.DecodeBE(b)
	inner := binary.DecodeBE(outer.Field("inner").Bytes(4))
	e := message{body: inner.Bytes16()}
	f := e
	return f.body // want "OCT002: .*"
}

// parse has no pool of its own.
func parse(d *binary.BEDecoder) message { return message{d.Uint32(), d.Bytes16()} }

// bad: through a function that is given the Decoder.
func decodedByHelper(n int) message {
	b := bytespool.New(n)
	defer bytespool.Release(b)
	d := binary.DecodeBE(b)
	return parse(&d) // want "OCT002: b .*"
}
