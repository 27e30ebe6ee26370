package binary_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"

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

// A server refuses a frame for the length that it announces. The client sends the
// length alone, and waits for the answer.
func ExampleStreamDecoder_Len32() {
	server, client := net.Pipe()
	go func() {
		defer server.Close()
		d := binary.NewStreamDecoder[binary.Big](server)
		for d.Err() == nil {
			n := d.Field("frame").Len32()
			if n > 1<<20 {
				d.Fail(fmt.Errorf("%d bytes are too many", n))
			}
			frame := d.Bytes(n)
			if err := d.Err(); err != nil {
				fmt.Fprintln(server, err)
			} else {
				fmt.Fprintf(server, "took %q\n", frame)
			}
		}
	}()

	answers := bufio.NewScanner(client)
	for _, sent := range [][]byte{
		binary.BE(nil).String32("a frame"),
		binary.BE(nil).Uint32(1 << 30),
	} {
		client.Write(sent)
		answers.Scan()
		fmt.Println(answers.Text())
	}
	// Output:
	// took "a frame"
	// binary: frame at offset 15: 1073741824 bytes are too many
}
