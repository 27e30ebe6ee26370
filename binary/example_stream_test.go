package binary_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/octet-go/octet/binary"
)

// A log of records, each preceded by its length.
func ExampleStreamEncoder() {
	var file bytes.Buffer
	e := binary.NewStreamEncoder[binary.Little](&file)
	var record binary.Mark
	for i, msg := range []string{"started", "listening", "stopped"} {
		e.BeginVarint(&record).Uint32(uint32(1000 + i)).String(msg).End(&record)
	}
	if err := e.Close(); err != nil {
		fmt.Println(err)
	}

	d := binary.NewStreamDecoder[binary.Little](&file)
	for d.More() {
		d.BeginVarint(&record)
		when, msg := d.Uint32(), d.String(d.Len())
		d.End(&record)
		fmt.Println(when, msg)
	}
	fmt.Println(d.Err())
	// Output:
	// 1000 started
	// 1001 listening
	// 1002 stopped
	// <nil>
}

// A peer claims to send 1 GiB. Without a limit, memory grows with what arrives. With a
// limit, the claim itself is rejected.
func ExampleLimit() {
	hostile := binary.BE(nil).Uint32(1 << 30).String("but that is all")

	d := binary.NewStreamDecoder[binary.Big](bytes.NewReader(hostile))
	d.Bytes32()
	fmt.Println(d.Err())

	d = binary.NewStreamDecoder[binary.Big](bytes.NewReader(hostile), binary.Limit(1<<20))
	d.Bytes32()
	fmt.Println(d.Err())
	fmt.Println(errors.Is(d.Err(), binary.ErrTooLong))
	// Output:
	// binary: at offset 4: want 1073741824 bytes, have 15: unexpected EOF
	// binary: at offset 4: want 1073741824 bytes, have 1048572: limit exceeded
	// true
}

// A decoder is a Reader of the span, and without one of the stream.
func ExampleStreamDecoder_Read() {
	in := binary.BE(nil).String8("key=value").String("trailer")
	d := binary.NewStreamDecoder[binary.Big](bytes.NewReader(in), binary.Limit(1<<20))
	var record binary.Mark
	d.Begin8(&record)
	key := d.String(3)
	d.Skip(1)
	fmt.Printf("%s: %s\n", key, d.Bytes(d.Len()))
	d.End(&record)
	rest, err := io.ReadAll(d)
	fmt.Printf("%s, %v\n", rest, err)
	// Output:
	// key: value
	// trailer, <nil>
}
