package binary_test

import (
	"fmt"
	"io"
	"net"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool/buffer"
)

// maxFrame is the largest frame that the server accepts.
const maxFrame = 1 << 20

// serve answers the requests of a client until it disconnects or breaks the protocol.
func serve(conn net.Conn) error {
	defer conn.Close()
	d := binary.NewStreamDecoder[binary.Big](conn)
	for d.More() {
		frame, err := readFrame(d)
		if err != nil {
			writeFrame(conn, err.Error())
			return err
		}
		err = writeFrame(conn, sum(frame.B))
		frame.Release()
		if err != nil {
			return err
		}
	}
	return d.Err()
}

// readFrame returns the content of the next frame in a pooled Buffer, which the caller
// must release. It checks the length before it acquires the Buffer.
func readFrame(d *binary.StreamDecoder[binary.Big]) (*buffer.Buffer, error) {
	n := d.Field("frame").Len32()
	if n > maxFrame {
		d.Fail(fmt.Errorf("%d bytes, want at most %d: %w", n, maxFrame, binary.ErrTooLong))
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	frame := buffer.Make(n)
	frame.B = d.AppendBytes(frame.B, n)
	if err := d.Err(); err != nil {
		frame.Release()
		return nil, err
	}
	return frame, nil
}

// writeFrame writes text as a frame, in a single call of w.
func writeFrame(w io.Writer, text string) error {
	frame := buffer.Make(4 + len(text))
	defer frame.Release()
	frame.B = binary.BE(frame.B).String32(text)
	_, err := frame.WriteTo(w)
	return err
}

// sum decodes a request and returns the answer.
func sum(request []byte) string {
	d := binary.DecodeBE(request)
	name, total := d.Field("name").String8(), uint64(0)
	for d.Field("number"); d.Len() > 0; {
		total += uint64(d.Uint32())
	}
	if err := d.Err(); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s: %d", name, total)
}

// A server for requests in frames, with pooled Buffers. A frame is a length of 4 bytes
// and the content. The content of a request is a name and numbers; the answer is their
// sum. The server rejects frames of more than 1 MiB when it has read their length.
func Example_server() {
	server, client := net.Pipe()
	go serve(server)

	answers := binary.NewStreamDecoder[binary.Big](client)
	var frame binary.Mark
	for _, request := range []binary.BE{
		binary.BE(nil).Begin32(&frame).String8("ones").Uint32(1).Uint32(1).End(&frame),
		binary.BE(nil).Begin32(&frame).String8("none").End(&frame),
		binary.BE(nil).Begin32(&frame).String8("half").Uint16(1).End(&frame),
		binary.BE(nil).Uint32(1 << 30), // a length, but no content
	} {
		client.Write(request)
		fmt.Println(answers.String32())
	}
	fmt.Println(answers.More(), answers.Err())
	// Output:
	// ones: 2
	// none: 0
	// binary: number at offset 5: want 4 bytes, have 2: unexpected EOF
	// binary: frame at offset 41: 1073741824 bytes, want at most 1048576: limit exceeded
	// false <nil>
}
