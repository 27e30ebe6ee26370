package groups

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	units "github.com/octet-go/octet/cmd/octet/internal/sample"
)

// GRPC measures calls of grpc-go with buffers from several pools.
func GRPC() contest.Group {
	g := contest.Group{
		Name: "grpc",
		About: "A unary call of grpc-go sends a message and gets it back, over one loopback connection, with the codec for protocol buffers. " +
			"Size: bytes of the message. Callers: goroutines that make calls at the same time. " +
			"Compared is the processor time of the whole process, client and server, and with 256 callers the peak of its heap. " +
			"The rivals are pools of grpc-go: the default, which has tiers of 256 B, 4 KiB, 16 KiB, 32 KiB and 1 MiB, and one with a tier for each power of two. " +
			"Octet's contestants have the default options, retain for 10 s, or have four classes a doubling as well.",
		OptIn: true,
	}
	for _, size := range []int{1 << 10, 16 << 10, 60000, 64 << 10, 256 << 10} {
		g.Rows = append(g.Rows, grpcRow(size, 8, units.CPU))
	}
	g.Rows = append(g.Rows, grpcRow(64<<10, 256, units.Peak))
	return g
}

func grpcRow(size, callers int, unit string) contest.Row {
	contestant := func(name string, ours bool, pool func() mem.BufferPool) contest.Contestant {
		return contest.Contestant{Name: name, Ours: ours, Start: func() contest.Run { return startGRPC(size, callers, pool()) }}
	}
	octet := func(opts ...bytespool.Option) func() mem.BufferPool {
		return func() mem.BufferPool {
			return bytespool.NewPointerPool(bytespool.NewCapacityPools(2<<10, 4<<20, opts...))
		}
	}
	return contest.Row{
		Name:    "op=echo/callers=" + strconv.Itoa(callers) + "/size=" + strconv.Itoa(size),
		Bytes:   2 * int64(size),
		Unit:    unit,
		Process: &contest.Process{Operations: min(1<<29/(size+16<<10), 10000)},
		Contestants: []contest.Contestant{
			contestant("octet", true, octet()),
			contestant("octet, retain 10 s", true, octet(bytespool.WithRetain(10*time.Second))),
			contestant("octet, 4 steps", true, octet(bytespool.WithRetain(10*time.Second), bytespool.WithSteps(4))),
			contestant("grpc, powers of two", false, grpcPowers),
			contestant("grpc, default", false, mem.DefaultBufferPool),
			contestant("no pool", false, func() mem.BufferPool { return mem.NopBufferPool{} }),
		},
	}
}

// grpcPowers returns grpc's pool with a tier for each power of two that octet has.
func grpcPowers() mem.BufferPool {
	var exponents []uint8
	for k := uint8(8); k <= 22; k++ {
		exponents = append(exponents, k)
	}
	p, err := mem.NewBinaryTieredBufferPool(exponents...)
	if err != nil {
		panic(err)
	}
	return p
}

const grpcMethod = "/octet.Bench/Echo"

// grpcEcho answers each message with itself.
var grpcEcho = grpc.ServiceDesc{
	ServiceName: "octet.Bench",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Echo",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			m := new(wrapperspb.BytesValue)
			return m, decode(m)
		},
	}},
}

// startGRPC starts a server and a client whose buffers, and those of the codec, are from
// pool.
func startGRPC(size, callers int, pool mem.BufferPool) contest.Run {
	before := mem.DefaultBufferPool()
	experimental.SetDefaultBufferPool(pool)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return contest.Run{Do: func(int) {}, Err: func() error { return err }}
	}
	server := grpc.NewServer(experimental.BufferPool(pool))
	server.RegisterService(&grpcEcho, nil)
	go server.Serve(l)
	client, err := grpc.NewClient(l.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()), experimental.WithBufferPool(pool))
	if err != nil {
		return contest.Run{Do: func(int) {}, Err: func() error { return err }, Stop: server.Stop}
	}
	message := wrapperspb.Bytes(make([]byte, size))
	message.Value[size-1] = 1
	var mu sync.Mutex
	return contest.Run{
		Do: contest.Parallel(callers, func(n int) {
			for range n {
				got := new(wrapperspb.BytesValue)
				e := client.Invoke(context.Background(), grpcMethod, message, got)
				if e == nil && (len(got.Value) != size || got.Value[size-1] != 1) {
					e = errors.New("grpc: the answer is not what was sent")
				}
				if e != nil {
					mu.Lock()
					err = e
					mu.Unlock()
					return
				}
			}
		}),
		Err: func() error { return err },
		Stop: func() {
			client.Close()
			server.GracefulStop()
			experimental.SetDefaultBufferPool(before)
		},
	}
}
