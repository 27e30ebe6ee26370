package grpc

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/octet-go/octet/bytespool"
)

// The pools hold messages of up to 8 MiB. They begin at 2 KiB: grpc-go does not pool
// buffers of 1 KiB or less, and drops those that it got.
var (
	pools = bytespool.NewPool(bytespool.WithSizes(2<<10, 8<<20), bytespool.WithName("grpc"))
	pool  = bytespool.NewPointerPool(pools)
)

// This line is for clients, and for the codec for protocol buffers.
func init() { experimental.SetDefaultBufferPool(pool) }

// One line installs octet in a program: SetDefaultBufferPool, called by an init
// function. A server of grpc-go 1.85 needs an option, too: it has chosen its default
// before.
func Example() {
	server := grpc.NewServer(experimental.BufferPool(pool))
	server.RegisterService(&echoService, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	go server.Serve(l)
	defer server.Stop()

	client, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	answer := new(wrapperspb.BytesValue)
	err = client.Invoke(context.Background(), echoMethod, wrapperspb.Bytes(make([]byte, 100<<10)), answer)
	fmt.Println(len(answer.Value), err)
	fmt.Println(pools.Stats().Gets > 10)
	// Output:
	// 102400 <nil>
	// true
}
