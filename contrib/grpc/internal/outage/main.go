// Outage is a service with the mistake that corrupted data of Cortex and Mimir: its
// codec returns strings that show the buffer which grpc-go frees after the decoding. It
// makes 1,600 calls and counts the answers that are wrong. See docs/GRPC.md.
//
//	go run ./contrib/grpc/internal/outage
//	OCTETDEBUG=check=guard go run ./contrib/grpc/internal/outage
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"

	"github.com/octet-go/octet/bytespool"
	_ "github.com/octet-go/octet/checked" // has guarded memory
)

const (
	callers = 64
	calls   = 25 // each
	size    = 8000
)

var (
	pools = bytespool.NewPool(bytespool.WithSizes(2<<10, 4<<20), bytespool.WithName("grpc"))
	pool  = bytespool.NewPointerPool(pools)
)

// A label is the message: a string.
type label struct{ value string }

// unsafeCodec decodes without a copy.
type unsafeCodec struct{}

func (unsafeCodec) Name() string { return "label" }

func (unsafeCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.(*label).value)}, nil
}

func (unsafeCodec) Unmarshal(data mem.BufferSlice, v any) error {
	b := data.MaterializeToBuffer(pool)
	defer b.Free()
	v.(*label).value = unsafeString(b.ReadOnlyData()) //poolcheck:ignore OCT002 this is the fault to be found
	return nil                                        // and the string shows what was freed
}

func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// copyingCodec is how it should be.
type copyingCodec struct{ unsafeCodec }

func (copyingCodec) Unmarshal(data mem.BufferSlice, v any) error {
	v.(*label).value = string(data.Materialize())
	return nil
}

// normalize is the service: it works for a while and answers what it was sent, in upper
// case.
func normalize(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	in := new(label)
	if err := decode(in); err != nil {
		return nil, err
	}
	time.Sleep(time.Duration(10+rand.IntN(20)) * time.Millisecond)
	return &label{strings.ToUpper(in.value)}, nil
}

var service = grpc.ServiceDesc{
	ServiceName: "octet.Labels",
	HandlerType: (*any)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Normalize", Handler: normalize}},
}

func main() {
	log.SetFlags(0)
	server := grpc.NewServer(experimental.BufferPool(pool), grpc.ForceServerCodecV2(unsafeCodec{}))
	server.RegisterService(&service, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go server.Serve(l)
	client, err := grpc.NewClient(l.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(copyingCodec{})))
	if err != nil {
		log.Fatal(err)
	}
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for g := range callers {
		wg.Go(func() {
			for i := range calls {
				in, out := label{strings.Repeat(fmt.Sprintf("caller-%02d-%03d ", g, i), size/14)}, label{}
				if err := client.Invoke(context.Background(), "/octet.Labels/Normalize", &in, &out); err != nil {
					log.Fatal(err)
				}
				if out.value != strings.ToUpper(in.value) {
					wrong.Add(1)
				}
			}
		})
	}
	wg.Wait()
	fmt.Printf("%d of %d answers were wrong\n", wrong.Load(), callers*calls)
}
