package grpc

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// The service octet.Echo sends back what it gets: one message, or each of a stream.
const (
	echoMethod   = "/octet.Echo/Echo"
	streamMethod = "/octet.Echo/Stream"
)

var echoService = grpc.ServiceDesc{
	ServiceName: "octet.Echo",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Echo",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			m := new(wrapperspb.BytesValue)
			return m, decode(m)
		},
	}},
	Streams: []grpc.StreamDesc{{
		StreamName: "Stream",
		Handler: func(_ any, s grpc.ServerStream) error {
			for {
				m := new(wrapperspb.BytesValue)
				switch err := s.RecvMsg(m); {
				case errors.Is(err, io.EOF):
					return nil
				case err != nil:
					return err
				}
				if err := s.SendMsg(m); err != nil {
					return err
				}
			}
		},
		ServerStreams: true,
		ClientStreams: true,
	}},
}

const maxMessage = 16 << 20

// serve starts a server of octet.Echo on the loopback interface that has its buffers
// from pool, and returns a client that has, too. Both end with t.
func serve(t testing.TB, pool mem.BufferPool) *grpc.ClientConn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no loopback interface: ", err)
	}
	s := grpc.NewServer(experimental.BufferPool(pool), grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))
	s.RegisterService(&echoService, nil)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	c, err := grpc.NewClient(l.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		experimental.WithBufferPool(pool),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		s.GracefulStop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return c
}
