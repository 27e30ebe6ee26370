package binary_test

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/pooltest"
)

// The server of the example releases every Buffer, whatever the client does.
func TestServerReleases(t *testing.T) {
	pooltest.NoLeaks(t)
	var m binary.Mark
	good := binary.BE(nil).Begin32(&m).String8("ones").Uint32(1).Uint32(1).End(&m)
	for name, tt := range map[string]struct {
		sent    []byte
		answers int // that the client waits for
		want    error
	}{
		"nothing":             {nil, 0, nil},
		"a request":           {good, 1, nil},
		"two requests":        {append(good, good...), 2, nil},
		"gone, not waiting":   {good, 0, io.ErrClosedPipe},
		"cut in its length":   {good[:3], 0, io.ErrUnexpectedEOF},
		"cut behind it":       {good[:4], 0, io.ErrUnexpectedEOF},
		"cut in the content":  {good[:9], 0, io.ErrUnexpectedEOF},
		"the largest, cut":    {binary.BE(nil).Uint32(maxFrame).Pad(10), 0, io.ErrUnexpectedEOF},
		"larger":              {binary.BE(nil).Uint32(maxFrame + 1), 1, binary.ErrTooLong},
		"a request, a larger": {binary.BE(good).Uint32(maxFrame + 1), 2, binary.ErrTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := net.Pipe()
			result := make(chan error)
			go func() { result <- serve(server) }()
			sent := make(chan bool)
			go func() {
				client.Write(tt.sent)
				close(sent)
			}()
			answers := binary.NewStreamDecoder[binary.Big](client)
			for range tt.answers {
				answers.Bytes32()
			}
			if err := answers.Err(); err != nil {
				t.Error(err)
			}
			<-sent
			client.Close()
			if err := <-result; !errors.Is(err, tt.want) {
				t.Errorf("the server says %v, want %v", err, tt.want)
			}
		})
	}
}
