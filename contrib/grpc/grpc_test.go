package grpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/testenv"
	"github.com/octet-go/octet/pooltest"
)

var _ mem.BufferPool = (*bytespool.PointerPool)(nil)

// raceDetector says whether the race detector is on, which makes calls slow.
var raceDetector = testenv.Race()

// workers is how many goroutines make calls of each kind.
var workers = map[bool]int{false: 2, true: 1}[raceDetector]

// sizes returns the lengths of messages: around those at which grpc-go or the pools do
// something else.
func sizes() []int {
	if raceDetector { // which takes half a minute for the others; the last is many frames and windows
		return []int{0, 1000, 1025, 60000, 1 << 20}
	}
	return []int{0, 1, 100, 1000, 1024, 1025, 4096, 16 << 10, 16<<10 + 1, 32 << 10, 60000, 64 << 10, 256 << 10, 1 << 20}
}

// most is where the classes of the pool end. A message of so many bytes costs more than all of
// sizes, so that not every kind of call has one.
const most = 4 << 20

// message returns a message of n random bytes.
func message(n int) *wrapperspb.BytesValue {
	r := rand.NewChaCha8([32]byte{byte(n)})
	b := make([]byte, n)
	r.Read(b)
	return wrapperspb.Bytes(b)
}

// exchange makes calls of these sizes, one after the other.
func exchange(t *testing.T, c *grpc.ClientConn, sizes []int, opts ...grpc.CallOption) {
	for _, n := range sizes {
		in, out := message(n), new(wrapperspb.BytesValue)
		if err := c.Invoke(t.Context(), echoMethod, in, out, opts...); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		} else if !bytes.Equal(in.Value, out.Value) {
			t.Errorf("%d bytes came back changed", n)
		}
	}
}

var bothWays = &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}

// stream sends messages of all sizes on a stream while it receives. It waits for the
// first answer: while a client of grpc-go 1.85 may still retry the call, it forgets to
// free what is sent at the moment at which the first answer comes.
func stream(t *testing.T, c *grpc.ClientConn, opts ...grpc.CallOption) {
	s, err := c.NewStream(t.Context(), bothWays, streamMethod, opts...)
	if err != nil {
		t.Error(err)
		return
	}
	out := new(wrapperspb.BytesValue)
	if err := errors.Join(s.SendMsg(message(1)), s.RecvMsg(out)); err != nil {
		t.Error(err)
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, n := range sizes() {
			if err := s.SendMsg(message(n)); err != nil {
				t.Errorf("sending %d bytes: %v", n, err)
			}
		}
		s.CloseSend()
	})
	for _, n := range sizes() {
		if err := s.RecvMsg(out); err != nil {
			t.Errorf("receiving %d bytes: %v", n, err)
			break
		}
		if !bytes.Equal(out.Value, message(n).Value) {
			t.Errorf("%d bytes came back changed", n)
		}
	}
	if err := s.RecvMsg(out); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	wg.Wait()
}

// leave begins calls and leaves them at some point.
func leave(t *testing.T, c *grpc.ClientConn, r *rand.Rand) {
	for range 10 * workers {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(int(3*time.Millisecond))))
		err := c.Invoke(ctx, echoMethod, message(1<<20), new(wrapperspb.BytesValue))
		cancel()
		switch status.Code(err) {
		case codes.OK, codes.DeadlineExceeded, codes.Canceled:
		default:
			t.Error(err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		if s, err := c.NewStream(ctx, bothWays, streamMethod); err == nil {
			s.SendMsg(message(100 << 10))
			s.SendMsg(message(100 << 10))
		}
		cancel() // with messages on the way that nobody has received
	}
}

// modes returns those in which everything works. Under the race detector, guard is full.
func modes() []checked.Options {
	off, full := checked.Options{}, checked.Options{Mode: checked.Full, Foreign: true}
	if raceDetector {
		return []checked.Options{off, full}
	}
	return []checked.Options{off, {Mode: checked.Sample, OneIn: 4}, full, {Mode: checked.Guard, Foreign: true}}
}

// inMode checks in a mode until t ends. It fails t if something is reported, except the
// codes that may be.
func inMode(t *testing.T, mode checked.Options, may ...checked.Code) {
	stop, err := checked.Start(mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	t.Cleanup(checked.Handle(func(r *checked.Report) {
		if !slices.Contains(may, r.Code) {
			t.Errorf("%v", r)
		}
	}))
}

// TestCalls has calls of all kinds at once come back as they were sent, in all modes.
// At the end nothing is in use, and nothing was reported.
func TestCalls(t *testing.T) {
	for _, mode := range modes() {
		t.Run(mode.Mode.String(), func(t *testing.T) {
			inMode(t, mode)
			if mode.Mode >= checked.Full {
				pooltest.NoLeaks(t, pools)
			}
			before := pools.Stats()
			t.Cleanup(func() { wantInUse(t, before.InUse) })
			c := serve(t, pool)
			all := sizes()
			if !raceDetector {
				all = append(all, most)
			}
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() { exchange(t, c, all) })
				wg.Go(func() { stream(t, c) })
				wg.Go(func() { exchange(t, c, sizes(), grpc.UseCompressor(gzip.Name)) })
				wg.Go(func() { stream(t, c, grpc.UseCompressor(gzip.Name)) })
			}
			wg.Wait()
			if n := pools.Stats().Gets - before.Gets; n < 100 {
				t.Errorf("grpc-go asked the pool for %d slices", n)
			}
		})
	}
}

// TestCancelledCalls cancels calls while others go on. What grpc-go 1.85 has received of
// them it leaves to the collector, whichever pool it has.
func TestCancelledCalls(t *testing.T) {
	for _, mode := range modes() {
		t.Run(mode.Mode.String(), func(t *testing.T) {
			inMode(t, mode, finding.Leak)
			c := serve(t, pool)
			var wg sync.WaitGroup
			for g := range uint64(workers) {
				wg.Go(func() { leave(t, c, rand.New(rand.NewPCG(g, 1))) })
				wg.Go(func() { exchange(t, c, sizes()) })
				wg.Go(func() { stream(t, c, grpc.UseCompressor(gzip.Name)) })
			}
			wg.Wait()
		})
	}
}

// wantInUse fails unless n slices are in use, now or soon.
func wantInUse(t *testing.T, n int64) {
	testenv.Eventually(t, fmt.Sprintf("%d slices are in use, as before", n), func() bool { return pools.Stats().InUse == n })
}
