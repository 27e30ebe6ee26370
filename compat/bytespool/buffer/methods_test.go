package buffer_test

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/compat/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// inUse returns how many slices of the default pools are in use.
func inUse() int64 { return bytespool.DefaultCapacityPools.Stats().InUse }

func TestWrites(t *testing.T) {
	before, b, want := inUse(), buffer.Make(2), ""
	for i := range 2000 {
		s := strings.Repeat(string(rune('a'+i%26)), i%40)
		switch i % 6 {
		case 0:
			b.Write([]byte(s))
		case 1:
			b.WriteString(s)
		case 2:
			b.Append([]byte(s))
		case 3:
			b.AppendString(s)
		case 4:
			s = "x"
			b.AppendByte('x')
		case 5:
			s = "y"
			b.WriteByte('y')
		}
		if want += s; string(b.B) != want {
			t.Fatalf("after step %d", i)
		}
	}
	if !b.Release() || inUse() != before {
		t.Errorf("%d arrays leaked", inUse()-before)
	}
}

// What is written may be part of the buffer, whether it fits or not.
func TestArgumentsInTheBuffer(t *testing.T) {
	for range 100 {
		b := buffer.NewString("0123456789abcdef") // full
		b.Append(b.B[4:])
		b.AppendString(b.UnsafeString()[:2])
		if got := b.String(); got != "0123456789abcdef456789abcdef01" {
			t.Fatalf("Append: %q", got)
		}
		for _, c := range []struct {
			p    func() []byte
			want string
		}{
			{func() []byte { return b.B[2:5] }, "234"},
			{func() []byte { return append(b.B[1:], bytes.Repeat([]byte("x"), 70)...) }, "34" + strings.Repeat("x", 70)},
		} {
			if b.Set(c.p()); b.String() != c.want {
				t.Fatalf("Set: %q, want %q", b, c.want)
			}
		}
		if b.SetString(b.UnsafeString()[1:4]); b.String() != "4xx" {
			t.Fatalf("SetString: %q", b)
		}
		b.Release()
	}
}

// Content that fills the array exactly does not need another one.
func TestSetFillsTheArray(t *testing.T) {
	b := buffer.Make(64)
	defer b.Release()
	array := &b.B[:1][0]
	if b.Set(make([]byte, b.Cap())); &b.B[0] != array {
		t.Error("Set moved to another array")
	}
	if b.SetString(string(make([]byte, b.Cap()))); &b.B[0] != array {
		t.Error("SetString moved to another array")
	}
}

func TestGrowAndGuarantee(t *testing.T) {
	b := buffer.NewString("ab")
	b.Grow(6)
	if b.Len() != 8 || b.Cap() < 8 || b.String()[:2] != "ab" {
		t.Errorf("Grow: %q, Cap %d", b, b.Cap())
	}
	b.Guarantee(100)
	if b.Len() != 8 || b.Cap() < 108 {
		t.Errorf("Guarantee: Len %d, Cap %d", b.Len(), b.Cap())
	}
	b.Release()
}

func TestCopies(t *testing.T) {
	b := buffer.NewString("hello")
	c, d := b.Copy(), b.Clone()
	var e [3]byte
	n := b.CopyTo(e[:])
	b.SetString("HELLO")
	if string(c) != "hello" || d.String() != "hello" || string(e[:n]) != "hel" {
		t.Errorf("%q %q %q", c, d, e[:n])
	}
	if !bytespool.Release(c) || !b.Release() || !d.Release() {
		t.Error("not released")
	}
}

// Close leaves the content to the owner, whatever the Buffer and its count are.
func TestClose(t *testing.T) {
	for name, b := range map[string]*buffer.Buffer{
		"pooled":    buffer.NewString("hello"),
		"zero":      {},
		"oversized": buffer.New(5 << 20),
		"shared":    buffer.NewString("hello"),
	} {
		want := b.String()
		if name == "shared" {
			b.RefInc()
		}
		for range 2 {
			if err := b.Close(); err != nil || b.String() != want {
				t.Errorf("%s: %v, content of %d bytes, want %d", name, err, b.Len(), len(want))
			}
		}
		b.WriteString("!")
		if b.String() != want+"!" {
			t.Errorf("%s: cannot be written after Close", name)
		}
		if name == "shared" {
			b.Release()
		}
		b.Release()
		if err := b.Close(); name != "zero" && err != buffer.ErrClose {
			t.Errorf("%s: %v after Release", name, err)
		}
	}
}

func TestNil(t *testing.T) {
	var b *buffer.Buffer
	if b.String() != "" || b.Release() || b.Close() != buffer.ErrClose {
		t.Error("String, Release or Close of nil")
	}
	b.Put()
}

// somewhere returns Buffers in all states in which they may be in use.
func somewhere() map[string]*buffer.Buffer {
	grown := buffer.Make(8)
	grown.Write(make([]byte, 100))
	return map[string]*buffer.Buffer{"got": buffer.Get(), "made": buffer.Make(100), "grown": grown, "foreign": buffer.NewBuffer(make([]byte, 128))}
}

func TestReferences(t *testing.T) {
	for name, b := range somewhere() {
		b.RefInc()
		b.RefInc()
		b.RefInc()
		if n := b.RefValue(); n != 3 {
			t.Errorf("%s: RefValue = %d, want 3", name, n)
		}
		b.RefStore(4)
		b.RefDec()
		b.RefAdd(2)
		b.RefAdd(-2)
		if n := b.RefSwapDec(); n != 3 {
			t.Errorf("%s: RefSwapDec = %d, want 3", name, n)
		}
		for range 2 {
			if b.Release() {
				t.Errorf("%s: released too early", name)
			}
		}
		if n := b.RefValue(); n != 0 {
			t.Errorf("%s: RefValue = %d, want 0", name, n)
		}
		if !b.Release() {
			t.Errorf("%s: not released", name)
		}
	}
	b := buffer.Get()
	b.RefStore(7)
	b.RefReset()
	if !b.Release() {
		t.Error("not released")
	}
	b = buffer.Get()
	b.RefDec()
	if b.Release() || b.RefValue() != -2 {
		t.Errorf("a count below 0: RefValue = %d", b.RefValue())
	}
	b.RefReset()
	if !b.Release() {
		t.Error("not released")
	}
}

// A count out of its range is rejected, and the Buffer stays as it was.
func TestReferencesOutOfRange(t *testing.T) {
	for name, f := range map[string]func(*buffer.Buffer){
		"RefStore":       func(b *buffer.Buffer) { b.RefStore(1<<40 + 1) },
		"RefStore below": func(b *buffer.Buffer) { b.RefStore(math.MinInt64) },
		"RefAdd":         func(b *buffer.Buffer) { b.RefAdd(1 << 40) }, // beside the one there is
		"RefAdd far":     func(b *buffer.Buffer) { b.RefAdd(math.MaxInt64) },
		"RefAdd below":   func(b *buffer.Buffer) { b.RefAdd(math.MinInt64) },
	} {
		b := buffer.Get()
		b.RefInc()
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.Contains(s, "between -2^40 and 2^40") {
					t.Errorf("%s: panic with %q", name, s)
				}
			}()
			f(b)
		}()
		if n := b.RefValue(); n != 1 {
			t.Errorf("%s: RefValue = %d, want 1", name, n)
		}
		b.RefStore(1 << 40)
		b.RefAdd(-1 << 40)
		b.RefStore(-1 << 40)
		b.RefReset()
		if !b.Release() {
			t.Errorf("%s: not released", name)
		}
	}
}

// Whatever is called through a stale pointer, the Buffer stays in the pool, is
// handed out once, and is then as good as any.
func TestStaleCalls(t *testing.T) {
	quietly(t)
	buffer.SetCapacity(2, 4<<20)
	for name, b := range somewhere() {
		if !b.Release() {
			t.Fatalf("%s: not released", name)
		}
		for range 3 {
			if b.Release() || b.Close() == nil || b.PutReader(buffer.GetReader(nil)) {
				t.Errorf("%s: released twice", name)
			}
			b.Put()
			b.PutAll(buffer.GetReader(nil))
			b.RefInc()
			b.RefDec()
			b.RefDec()
			b.RefAdd(100)
			b.RefStore(0)
			b.RefReset()
			if b.RefValue() >= 0 || b.RefSwapDec() >= 0 {
				t.Errorf("%s: RefValue = %d in the pool", name, b.RefValue())
			}
		}
	}
	seen := map[*buffer.Buffer]bool{}
	for range 100 {
		b := buffer.Get()
		if seen[b] || b.RefValue() != 0 || b.Len() != 0 {
			t.Fatal("handed out twice, or not in order")
		}
		seen[b] = true
	}
	for b := range seen {
		if !b.Release() {
			t.Fatal("not released")
		}
	}
}

func TestReadersOfBuffers(t *testing.T) {
	before, b := inUse(), buffer.NewString("hello")
	r, s := b.GetReader(), b.GetReader()
	if n := b.RefValue(); n != 2 {
		t.Errorf("RefValue = %d, want 2", n)
	}
	if b.Release() {
		t.Error("released while readers are out")
	}
	var w bytes.Buffer
	r.WriteTo(&w)
	s.WriteTo(&w)
	if w.String() != "hellohello" {
		t.Errorf("read %q", &w)
	}
	if b.PutReader(nil) || b.PutReader(r) {
		t.Error("released while a reader is out")
	}
	if !b.PutReader(s) {
		t.Error("the last reader did not release")
	}

	b = buffer.NewString("hello")
	b.PutAll(b.GetReader(), nil, b.GetReader())
	if b.RefValue() >= 0 {
		t.Error("PutAll did not end the buffer")
	}
	buffer.PutReader(nil)
	if n := inUse() - before; n != 0 {
		t.Errorf("%d arrays leaked", n)
	}
}

// Misuse of what only this package has is reported.
func TestMisuseIsReported(t *testing.T) {
	stale := func(use func(b *buffer.Buffer)) func() {
		return func() { b := buffer.NewString("content"); b.Release(); use(b) }
	}
	for _, mode := range []check.Config{{Mode: check.Sample, OneIn: 1}, {Mode: check.Full}, {Mode: check.Guard}} {
		t.Run(mode.Mode.String(), func(t *testing.T) {
			quietly(t)
			found := checktest.Start(t, mode)
			buffer.SetCapacity(16, 1<<20)
			for name, c := range map[string]struct {
				misuse func()
				want   finding.Code
			}{
				"Append":    {stale(func(b *buffer.Buffer) { b.Append([]byte("x")) }), finding.UseAfterRelease},
				"Set":       {stale(func(b *buffer.Buffer) { b.Set([]byte("x")) }), finding.UseAfterRelease},
				"SetString": {stale(func(b *buffer.Buffer) { b.SetString("x") }), finding.UseAfterRelease},
				"Grow":      {stale(func(b *buffer.Buffer) { b.Grow(1) }), finding.UseAfterRelease},
				"Copy":      {stale(func(b *buffer.Buffer) { b.Copy() }), finding.UseAfterRelease},
				"CopyTo":    {stale(func(b *buffer.Buffer) { b.CopyTo(make([]byte, 1)) }), finding.UseAfterRelease},
				"Clone":     {stale(func(b *buffer.Buffer) { b.Clone() }), finding.UseAfterRelease},
				"GetReader": {stale(func(b *buffer.Buffer) { b.GetReader() }), finding.UseAfterRelease},
				"Put":       {stale(func(b *buffer.Buffer) { b.Put() }), finding.DoubleRelease},
				"PutAll":    {stale(func(b *buffer.Buffer) { b.PutAll() }), finding.DoubleRelease},
				"reader twice": {func() {
					b := buffer.Get()
					r := b.GetReader()
					b.PutReader(r)
					b.PutReader(r)
					b.Release() //poolcheck:ignore OCT003 the second PutReader is the fault
				}, finding.DoubleRelease},
				"reader of another": {func() {
					b, c := buffer.Get(), buffer.Get()
					r := b.GetReader()
					c.PutReader(r)
					b.PutReader(r)
					b.Release()
					c.Release() //poolcheck:ignore OCT003 it is the fault
				}, finding.ForeignRelease},
				"right": {func() {
					b := buffer.NewString("content")
					r := b.GetReader()
					b.Guarantee(1000)
					b.Release()
					b.PutReader(r)
				}, ""},
			} {
				n := len(found())
				c.misuse()
				var list []finding.Report
				for _, f := range found()[n:] {
					if f.Code != finding.Leak { // what Copy and Clone return is collected at any time
						list = append(list, f)
					}
				}
				// In modes full and guard a reader that is put where it does not belong stays
				// its Buffer's. Mode sample lets it go, with the reference to the wrong Buffer.
				if want := map[bool]int{true: 3, false: 1}[mode.Mode == check.Sample]; name == "reader of another" && len(list) != want {
					t.Errorf("%s: found %+v, want %d", name, list, want)
				}
				if c.want == "" && len(list) > 0 || c.want != "" && (len(list) == 0 || list[0].Code != c.want) {
					t.Errorf("%s: found %+v, want code %q", name, list, c.want)
				}
			}
		})
	}
}

// A reader that is lost is reported.
func TestLostReadersAreReported(t *testing.T) {
	found := checktest.Start(t, check.Config{Mode: check.Full})
	buffer.NewString("content").GetReader()
	testenv.Eventually(t, "the lost reader is reported", func() bool {
		runtime.GC()
		return slices.ContainsFunc(found(), func(f finding.Report) bool { return f.Code == finding.Leak && f.Object == "reader" })
	})
}

// What programs do for each message allocates nothing, and costs one operation of the pool.
func TestAllocations(t *testing.T) {
	if sanitize.Enabled || checked.Current().Mode != checked.Off {
		t.Skip("what is checked allocates")
	}
	quietly(t)
	buffer.SetCapacity(2, 1<<20)
	text := []byte("text")
	for name, f := range map[string]func(){
		"Get":     func() { buffer.Put(buffer.Get()) },
		"Make":    func() { buffer.Make(100).Release() },
		"Write":   func() { b := buffer.Get(); b.Write(text); b.WriteByte('x'); b.SetString("y"); b.Put() },
		"Clone":   func() { b := buffer.NewBytes(text); b.Clone().Put(); b.Put() },
		"readers": func() { b := buffer.NewString("text"); b.PutReader(b.GetReader()); b.Put() },
		"counts": func() {
			b := buffer.Get()
			b.RefInc()
			b.RefAdd(1)
			b.RefDec()
			b.RefSwapDec()
			b.PutAll()
		},
	} {
		if n := testing.AllocsPerRun(100, f); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// What is too large panics before the content is dropped.
func TestTooLargeToSet(t *testing.T) {
	if math.MaxInt == math.MaxInt32 || sanitize.Enabled {
		t.Skip("no slice of this build is too large")
	}
	n := math.MaxInt32
	large := unsafe.Slice(new(byte), n+1) // of which nothing is touched
	b := buffer.NewString("hello")
	for name, f := range map[string]func(){
		"Set":       func() { b.Set(large) },
		"SetString": func() { b.SetString(unsafe.String(&large[0], len(large))) },
	} {
		func() {
			defer func() {
				if got := recover(); got != any(buffer.ErrTooLarge) || b.String() != "hello" {
					t.Errorf("%s panics with %v, and %q is left", name, got, b)
				}
			}()
			f()
		}()
	}
	b.Release()
}
