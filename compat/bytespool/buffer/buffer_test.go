package buffer_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"testing"
	"unsafe"

	octetbuffer "github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/compat/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// quietly also gives the package its pools back when the test ends.
func quietly(t *testing.T) {
	testenv.Quietly(t)
	t.Cleanup(buffer.UseDefaultPools)
}

func TestConstructors(t *testing.T) {
	for _, tt := range []struct {
		name     string
		b        *buffer.Buffer
		content  string
		capacity int
	}{
		{"Get(0)", buffer.Get(0), "", 2},
		{"Get(-1)", buffer.Get(-1), "", 2},
		{"Get(100)", buffer.Get(100), "", 128},
		{"New(100)", buffer.New(100), string(make([]byte, 100)), 128},
		{"New(-1)", buffer.New(-1), "", 2},
		{"Make(100)", buffer.Make(100), "", 128},
		{"Make64(3)", buffer.Make64(3), "", 4},
		{"MakeMin", buffer.MakeMin(), "", 2},
		{"MakeMax", buffer.MakeMax(), "", 4 << 20},
		{"NewBytes", buffer.NewBytes([]byte("abc")), "abc", 4},
		{"NewString", buffer.NewString("abcde"), "abcde", 8},
		{"NewBuffer", buffer.NewBuffer(append(make([]byte, 0, 33), "x"...)), "x", 33},
		{"Clone", buffer.Clone(buffer.NewString("abcde")), "abcde", 8},
	} {
		b := tt.b
		clear(b.B[min(len(b.B), 9):]) // what New returns may be old
		if len(b.B) != len(tt.content) || b.Cap() < tt.capacity || len(tt.content) < 10 && b.String() != tt.content {
			t.Errorf("%s: %q, Cap %d; want %q, Cap %d", tt.name, b, b.Cap(), tt.content, tt.capacity)
		}
		if buffer.Put(b); b.RefValue() >= 0 || buffer.Release(b) {
			t.Errorf("%s: Put has not released it", tt.name)
		}
	}
	if buffer.Release(nil) {
		t.Error("nil was released")
	}
}

// What methods panic with is what this package exports. The content stays.
func TestPanics(t *testing.T) {
	type call struct {
		want error
		f    func()
	}
	b := buffer.NewString("abc")
	defer b.Release()
	calls := map[string]call{
		"Make64":        {buffer.ErrTooLarge, func() { buffer.Make64(1 << 31) }},
		"Make64 of all": {buffer.ErrTooLarge, func() { buffer.Make64(math.MaxUint64) }},
		"Guarantee":     {buffer.ErrTooLarge, func() { b.Guarantee(math.MaxInt) }},
		"Guarantee(-1)": {buffer.ErrGrow, func() { b.Guarantee(-1) }},
		"Grow(-1)":      {buffer.ErrGrow, func() { b.Grow(-1) }},
		"Truncate(4)":   {buffer.ErrTruncation, func() { b.Truncate(4) }},
	}
	if n := math.MaxInt32; math.MaxInt > n && !sanitize.Enabled { // or no slice is too large
		large := unsafe.Slice(new(byte), n+1) // of which nothing is touched
		calls["Set"] = call{buffer.ErrTooLarge, func() { b.Set(large) }}
		calls["SetString"] = call{buffer.ErrTooLarge, func() { b.SetString(unsafe.String(&large[0], len(large))) }}
	}
	for name, c := range calls {
		func() {
			defer func() {
				if got := recover(); got != any(c.want) || b.String() != "abc" {
					t.Errorf("%s panics with %v, want %v; %q is left", name, got, c.want, b)
				}
			}()
			c.f()
		}()
	}
}

// A program that sets DefaultBufferSize gets as much.
func TestDefaultBufferSize(t *testing.T) {
	defer func(n int) { buffer.DefaultBufferSize = n }(buffer.DefaultBufferSize)
	for _, n := range []int{64, 5000, 8 << 20, 1, 0, -1, 64} {
		buffer.DefaultBufferSize = n
		b := buffer.Get()
		if b.Cap() < n {
			t.Errorf("DefaultBufferSize %d: Cap = %d", n, b.Cap())
		}
		b.Release()
	}
}

func TestSetCapacity(t *testing.T) {
	quietly(t)
	buffer.SetCapacity(5, 100)
	if buffer.MinSize() != 5 || buffer.MaxSize() != 100 {
		t.Errorf("bounds %d, %d", buffer.MinSize(), buffer.MaxSize())
	}
	if b := buffer.MakeMax(); b.Cap() != 128 || !b.Release() {
		t.Errorf("MakeMax: Cap %d, or not released", b.Cap())
	}
	if b := buffer.Make(200); b.Cap() != 200 || b.Release() {
		t.Errorf("Make(200): Cap %d, or released", b.Cap())
	}
}

func TestRuntimeStats(t *testing.T) {
	quietly(t)
	buffer.SetCapacity(2, 128)
	if buffer.GetWithStats() || buffer.RuntimeStats() != nil {
		t.Error("statistics are on")
	}
	buffer.SetWithStats(true)
	buffer.Get(8)
	for range 1000 {
		buffer.Make(10).Release()
	}
	buffer.Make(200)
	want := map[string]uint64{"NewBytes": 16 + 8, "ReusedBytes": 999 * 16, "OutBytes": 200, "OutCount": 1}
	if got := buffer.RuntimeStats(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	s := buffer.RuntimeStatsSummary(1)
	if len(s.TopPools) != 1 || s.TopPools[0] != (bytespool.PoolStat{Rank: 1, Capacity: 16, ReuseHits: 999}) {
		t.Errorf("TopPools = %v", s.TopPools)
	}
}

// As there, the statistics of the default pools are those of both packages.
func TestDefaultStats(t *testing.T) {
	bytespool.SetWithStats(true)
	defer bytespool.SetWithStats(false)
	if !buffer.GetWithStats() {
		t.Error("package buffer counts by itself")
	}
}

// A Buffer of one package is converted to that of the other as it is.
func Example() {
	b := buffer.Get(100)
	defer buffer.Put(b)
	b.WriteString("content of a request")
	body := (*octetbuffer.Buffer)(b).Body()
	defer body.Close()
	io.Copy(os.Stdout, body)
	// Output: content of a request
}
