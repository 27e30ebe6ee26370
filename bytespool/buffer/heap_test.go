package buffer

import (
	"flag"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

var heapLoop = flag.Int64("heaploop", 1<<30, "`bytes` that each loop of TestHeapIsBounded allocates")

// oneWay has programs that release to classes which nobody takes from. Each is the
// body of a loop.
var oneWay = map[string]func(newPools func(minSize, maxSize int) *bytespool.Pool) func(){
	"NewBuffer(New)": func(newPools newPools) func() {
		p := newPools(2, 4<<20)
		buffers := NewPool(p)
		return func() { buffers.NewBuffer(p.New(9000)).Release() }
	},
	"NewBuffer of a copy": func(newPools newPools) func() {
		p := newPools(2, 4<<20)
		buffers := NewPool(p)
		return func() {
			b := buffers.Get()
			b.Write(data)
			c := buffers.NewBuffer(append(p.Make(b.Len()), b.Bytes()...))
			b.Release()
			c.Release()
		}
	},
	"above the maximum": func(newPools newPools) func() {
		p := newPools(2, 10000)
		return func() { p.Release(p.New(12000)) }
	},
	"append to a slice": func(newPools newPools) func() {
		p := newPools(2, 4<<20)
		return func() { p.Release(append(p.Make(100), data...)) }
	},
	"append to B": func(newPools newPools) func() {
		buffers := NewPool(newPools(2, 4<<20))
		return func() {
			b := buffers.Make(64)
			b.B = append(b.B, data...)
			b.Release()
		}
	},
	"foreign": func(newPools newPools) func() {
		buffers := NewPool(newPools(2, 4<<20))
		return func() { buffers.NewBuffer(append([]byte(nil), data...)).Release() }
	},
	"into a BufPool": func(newPools newPools) func() {
		p, q := newPools(2, 4<<20), bytespool.NewBufPool(9000, heapOptions...)
		return func() { q.Put(p.New(9000)) }
	},
	"into another pool": func(newPools newPools) func() {
		p, q := newPools(2, 4<<20), newPools(2, 4<<20)
		return func() { q.Release(p.New(9000)) }
	},
	"sync.Pool": func(newPools) func() {
		var p sync.Pool
		return func() {
			b := append([]byte(nil), data...)
			p.Put(&b)
		}
	},
}

type newPools = func(minSize, maxSize int) *bytespool.Pool

var data = make([]byte, 9000)

// heapOptions are what the pools of a loop are made with, in the variant "retained".
var heapOptions []bytespool.Option

// Programs that release to classes which nobody takes from need little memory,
// whatever they do and however long. Each runs in a process of its own; what a
// sync.Pool needs is logged beside them.
//
// These processes collect when the runtime would begin to, and wait until it is done. The
// runtime's own collector comes too late while other programs use the processors: a loop
// that does nothing but make slices of 12,000 bytes needs 100 to 800 MiB then.
func TestHeapIsBounded(t *testing.T) {
	testenv.NeedsExec(t)
	testenv.Long(t)
	if sanitize.Enabled {
		t.Skip("what a sanitizer needs counts, too")
	}
	most := map[string]int64{"100": 64 << 20, "400": 128 << 20} // by GOGC
	for name := range oneWay {
		for gogc, most := range most {
			for _, variant := range []string{"default", "portable", "retained"} {
				if variant == "portable" && !rt.Pinned || variant != "default" && name == "sync.Pool" {
					continue // as the first
				}
				t.Run(name+"/GOGC="+gogc+"/pools="+variant, func(t *testing.T) {
					t.Parallel()
					n := heapSys(t, name, gogc, variant)
					t.Logf("HeapSys %d MiB", n>>20)
					if name != "sync.Pool" && n > most {
						t.Errorf("HeapSys is %d MiB, more than %d", n>>20, most>>20)
					}
				})
			}
		}
	}
}

// heapSys runs TestHeapLoop and returns what it prints.
func heapSys(t *testing.T, loop, gogc, variant string) int64 {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHeapLoop$", "-heaploop="+strconv.FormatInt(*heapLoop, 10))
	cmd.Env = append(os.Environ(), "GOGC=off", "OCTET_HEAP_GOGC="+gogc, "GOMAXPROCS=1", "GOMEMLIMIT=off", "OCTETDEBUG=",
		"OCTET_HEAP_LOOP="+loop, "OCTET_HEAP_POOLS="+variant)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		t.Fatalf("%s", out)
	}
	return n
}

// TestHeapLoop is a program that TestHeapIsBounded starts: it prints its HeapSys.
func TestHeapLoop(t *testing.T) {
	loop := oneWay[os.Getenv("OCTET_HEAP_LOOP")]
	if loop == nil {
		return // this is not such a process
	}
	newPools := func(minSize, maxSize int) *bytespool.Pool {
		return bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(minSize, maxSize)}, heapOptions...)...)
	}
	switch os.Getenv("OCTET_HEAP_POOLS") {
	case "retained":
		heapOptions = []bytespool.Option{bytespool.WithRetain(time.Minute), bytespool.WithSteps(4)}
	case "portable":
		newPools = func(minSize, maxSize int) *bytespool.Pool {
			p := new(bytespool.Pool)
			engine.Of(p).Init(engine.Config{MinSize: minSize, MaxSize: maxSize, Portable: true})
			return p
		}
	}
	step := loop(newPools)
	gogc, err := strconv.ParseInt(os.Getenv("OCTET_HEAP_GOGC"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	heap := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}}
	collected := int64(0)        // what was allocated before the last collection
	for range *heapLoop / 9000 { // a loop that does not allocate ends, too
		step()
		metrics.Read(heap)
		allocated, live := int64(heap[0].Value.Uint64()), int64(heap[1].Value.Uint64())
		if allocated-collected > max(4<<20, live)*gogc/100 { // as the runtime would, in time
			runtime.GC()
			runtime.Gosched() // now the finalizers
			collected = allocated
		}
		if allocated > *heapLoop {
			break
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	os.Stdout.WriteString(strconv.FormatUint(m.HeapSys, 10) + "\n")
}
