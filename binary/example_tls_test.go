package binary_test

import (
	"fmt"

	"github.com/octet-go/octet/binary"
)

// A record as in TLS, with nested lengths of 16, 24, 8 and 16 bits.
func Example_tls() {
	suites := []uint16{0x1301, 0x1302}

	var record, hello, vector, extensions, extension, names binary.Mark
	b := binary.BE(nil).
		Uint8(22).Uint16(0x0301).Begin16(&record). // handshake
		Uint8(1).Begin24(&hello).                  // client hello
		Uint16(0x0303).Bytes(make([]byte, 32)).Bytes8(nil)
	b = b.Begin16(&vector)
	for _, s := range suites {
		b = b.Uint16(s)
	}
	b = b.End(&vector).
		Bytes8([]byte{0}). // no compression
		Begin16(&extensions).
		Uint16(0).Begin16(&extension). // server name
		Begin16(&names).Uint8(0).String16("octet.example").End(&names).
		End(&extension).
		End(&extensions).
		End(&hello).
		End(&record)
	fmt.Println(len(b), "bytes")

	d := binary.DecodeBE(b)
	fmt.Println(serverName(&d))
	fmt.Println(d.Done())

	b[3] = 0xff // a false length
	d = binary.DecodeBE(b)
	serverName(&d)
	fmt.Println(d.Err())
	// Output:
	// 76 bytes
	// octet.example
	// <nil>
	// binary: record at offset 5: want 65351 bytes, have 71: unexpected EOF
}

// serverName returns the name in a record with a client hello.
func serverName(d *binary.BEDecoder) (name string) {
	var record, hello, suites, extensions, extension, names binary.Mark
	d.Field("record").Skip(3)
	d.Begin16(&record)
	d.Field("handshake").Skip(1)
	d.Begin24(&hello)
	d.Skip(2 + 32)
	d.Field("session").Bytes8()
	for d.Field("suites").Begin16(&suites); d.Len() > 0; {
		d.Uint16()
	}
	d.End(&suites)
	d.Field("compression").Bytes8()
	for d.Field("extensions").Begin16(&extensions); d.Len() > 0; {
		kind := d.Uint16()
		d.Begin16(&extension)
		if kind == 0 {
			for d.Field("names").Begin16(&names); d.Len() > 0; {
				if d.Uint8() == 0 {
					name = d.String16()
				}
			}
			d.End(&names)
		}
		d.Skip(d.Len()) // of an extension that we do not know
		d.End(&extension)
	}
	d.End(&extensions)
	d.End(&hello)
	d.End(&record)
	return name
}
