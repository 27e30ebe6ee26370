package main

import (
	"bytes"
	"io"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

var oct002 = class{
	code:  "OCT002",
	title: "alias escape",
	kinds: []kind{
		{
			what: "the escaped alias is read",
			found: found{
				guard: faulted(afterRelease),
				race:  dataRace,
				asan:  poison,
			},
			programs: []program{
				{readerInRequest, "a bytes.Reader over a Buffer becomes the body of a request"},
				{decodedIntoMap, "what a Decoder shows of a message is kept in a map, the message is released"},
			},
		},
		{
			what: "the escaped alias is written",
			found: found{
				sample: logged(writtenAfter).given(sampledLeaving),
				full:   panicked(writtenAfter).given(onLeaving),
				guard:  faulted(afterRelease),
				race:   dataRace,
				asan:   poison,
			},
			programs: []program{
				{returnedAndAppended, "the caller appends to what the callee released"},
			},
		},
		{
			what: "a string made by unsafe becomes a map's key and is looked up",
			found: found{
				guard: faulted(afterRelease),
			},
			programs: []program{
				{keyOfMap, "the map compares released bytes"},
			},
		},
		{
			what: "the escaped alias is never used",
			programs: []program{
				{keptUnused, "a sub-slice is stored and never looked at"},
				{stringKeptUnused, "a string over a Buffer is stored and never looked at"},
			},
		},
	},
	alike: oct002Alike,
}

// A session is what parsers leave behind.
type session struct {
	user []byte
	name string
	body io.Reader
}

// newBody returns a body over memory that it gives back.
func newBody() io.Reader {
	buf := buffer.Get()
	buf.WriteString(`{"ok":true}`)
	defer buf.Release()
	return bytes.NewReader(buf.Bytes())
}

func readerInRequest() {
	s := session{body: newBody()} // acquired, released
	body, _ := io.ReadAll(s.body) // now
	use(body)
}

// header returns a slice that is released when it returns.
func header() []byte {
	b := bytespool.Make(128)
	defer bytespool.Release(b)
	return append(b, "Host: "...)
}

func returnedAndAppended() {
	h := append(header(), "example.org"...) // acquired, released, now
	use(len(h))
}

// keyOfMap looks up a key whose bytes are gone.
func keyOfMap() {
	hits := make(map[string]int)
	buf := earlier.NewString("a key that is longer than a word") // acquired
	hits[buf.UnsafeString()]++
	buf.Release()                              // released
	hits["a key that is longer than a word"]++ // now
	use(len(hits))
}

func keptUnused() {
	b := append(bytespool.Make(11), "user:gopher"...)
	kept = &session{user: b[5:]}
	bytespool.Release(b)
}

func stringKeptUnused() {
	buf := earlier.NewString("user:gopher")
	kept = &session{name: buf.UnsafeString()}
	buf.Release()
}

// bodies has what decodedIntoMap decodes.
var bodies = map[uint32][]byte{}

func decodedIntoMap() {
	b := bytespool.Make(256) // acquired
	b = binary.BE(b).Uint32(1).Bytes16([]byte("body"))
	d := binary.DecodeBE(b)
	bodies[d.Uint32()] = d.Bytes16()
	bytespool.Release(b) // released
	use(bodies[1][0])    // now
}
