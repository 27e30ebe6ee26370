package binary_test

import (
	"fmt"
	"strings"

	"github.com/octet-go/octet/binary"
)

// The header of a DNS message and its question, RFC 1035, section 4.1.
func Example_dns() {
	msg := appendDNSQuery(nil, 0xbeef, "octet.example")
	fmt.Printf("% x\n", msg)

	d := binary.DecodeBE(msg)
	h := parseDNSHeader(&d)
	name := parseDNSName(&d)
	kind, class := d.Field("qtype").Uint16(), d.Field("qclass").Uint16()
	fmt.Printf("%+v\n%s %d %d %v\n", h, name, kind, class, d.Done())

	d = binary.DecodeBE(msg[:7])
	parseDNSHeader(&d)
	fmt.Println(d.Err())

	msg[12] = 63 // the first label is longer than the message
	d = binary.DecodeBE(msg)
	parseDNSHeader(&d)
	parseDNSName(&d)
	fmt.Println(d.Err())
	// Output:
	// be ef 01 00 00 01 00 00 00 00 00 00 05 6f 63 74 65 74 07 65 78 61 6d 70 6c 65 00 00 01 00 01
	// {id:48879 flags:256 questions:1 answers:0 authorities:0 extras:0}
	// octet.example. 1 1 <nil>
	// binary: ancount at offset 6: want 2 bytes, have 1: unexpected EOF
	// binary: qname at offset 13: want 63 bytes, have 18: unexpected EOF
}

type dnsHeader struct {
	id, flags                               uint16
	questions, answers, authorities, extras uint16
}

func appendDNSQuery(dst []byte, id uint16, name string) []byte {
	b := binary.BE(dst).
		Uint16(id).
		Uint16(1 << 8). // recursion desired
		Uint16(1).Uint16(0).Uint16(0).Uint16(0)
	for label := range strings.SplitSeq(name, ".") {
		b = b.String8(label)
	}
	return b.Uint8(0).Uint16(1).Uint16(1) // A, IN
}

func parseDNSHeader(d *binary.BEDecoder) (h dnsHeader) {
	h.id = d.Field("id").Uint16()
	h.flags = d.Field("flags").Uint16()
	h.questions = d.Field("qdcount").Uint16()
	h.answers = d.Field("ancount").Uint16()
	h.authorities = d.Field("nscount").Uint16()
	h.extras = d.Field("arcount").Uint16()
	return h
}

func parseDNSName(d *binary.BEDecoder) string {
	d.Field("qname")
	var name []byte
	for {
		n := d.Len8() // 0 at the end, and after a failure
		if n == 0 {
			return string(name)
		}
		name = append(d.AppendBytes(name, n), '.')
	}
}
