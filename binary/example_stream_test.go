package binary_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/octet-go/octet/binary"
)

// A log of records, each with its length in front, written and read through
// buffers.
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

// A peer claims that 1 GiB follows. Without a limit, memory grows only with what
// arrives; with one, the claim itself is turned down.
func ExampleLimit() {
	hostile := binary.BE(nil).Uint32(1 << 30).String("but that is all")

	d := binary.NewStreamDecoder[binary.Big](bytes.NewReader(hostile))
	d.Bytes32()
	fmt.Println(d.Err())

	d = binary.NewStreamDecoder[binary.Big](bytes.NewReader(hostile), binary.Limit(1<<20))
	d.Bytes32()
	fmt.Println(d.Err())
	fmt.Println(errors.Is(d.Err(), binary.ErrLimit))
	// Output:
	// binary: at offset 4: want 1073741824 bytes, have 15: unexpected EOF
	// binary: at offset 4: want 1073741824 bytes, have 1048572: limit exceeded
	// true
}
