package buffer_test

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

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

// Each method does to the content and the count what it did in the original. Package checked
// compares random programs that call these methods with a model.
func TestMethods(t *testing.T) {
	before, b := inUse(), buffer.Make(2)
	for _, tt := range []struct {
		name  string
		do    func()
		want  string
		count int64
	}{
		{"Write", func() { b.Write([]byte("ab")) }, "ab", 0},
		{"Write to a full array", func() { b.Write([]byte("cde")) }, "abcde", 0},
		{"WriteString", func() { b.WriteString("fgh"); b.WriteString("ij") }, "abcdefghij", 0},
		{"Append of a part", func() { b.Append(b.B[6:]); b.Append(b.B[8:]) }, "abcdefghijghijijghij", 0},
		{"Set of a part", func() { b.Set(b.B[1:8]) }, "bcdefgh", 0},
		{"Set of what lies beyond the content", func() { b.Set(append(b.B[3:], "xyz"...)) }, "efghxyz", 0},
		{"SetString of a part", func() { b.SetString(b.UnsafeString()[1:4]) }, "fgh", 0},
		{"AppendString", func() { b.AppendString("!"); b.AppendString(strings.Repeat("?", 50)); b.Truncate(5) }, "fgh!?", 0},
		{"WriteByte", func() { b.WriteByte('1'); b.AppendByte('2') }, "fgh!?12", 0},
		{"bytes to a full array", func() {
			b.SetString(strings.Repeat("x", b.Cap()))
			b.WriteByte('1')
			b.Set(bytes.Repeat([]byte("x"), b.Cap()))
			b.AppendByte('2')
			b.Set(b.B[b.Len()-2:])
		}, "x2", 0},
		{"Grow", func() { b.Grow(3); copy(b.B[2:], "345") }, "x2345", 0},
		{"Guarantee", func() { b.Guarantee(1000); b.B = b.B[:1005][:5] }, "x2345", 0},
		{"RefInc", func() { b.RefInc(); b.RefInc(); b.RefInc() }, "x2345", 3},
		{"RefStore", func() { b.RefStore(7) }, "x2345", 7},
		{"RefAdd", func() { b.RefAdd(2); b.RefAdd(-4) }, "x2345", 5},
		{"RefDec", func() { b.RefDec() }, "x2345", 4},
		{"RefSwapDec", func() { b.RefStore(b.RefSwapDec() * 10) }, "x2345", 40},
		{"RefReset", func() { b.RefReset() }, "x2345", 0},
		{"a count below 0", func() { b.RefDec(); b.RefReset() }, "x2345", 0},
		{"Release", func() { b.RefStore(2); b.Release(); b.Release() }, "x2345", 0},
		{"Reset", func() { b.Reset() }, "", 0},
	} {
		tt.do()
		if b.String() != tt.want || string(b.Bytes()) != tt.want || b.Len() != len(tt.want) || b.RefValue() != tt.count {
			t.Fatalf("%s: %q, count %d; want %q, %d", tt.name, b, b.RefValue(), tt.want, tt.count)
		}
	}
	b.WriteString("hello")
	c, d := b.Copy(), b.Clone()
	var e [3]byte
	n := b.CopyTo(e[:])
	array := &b.B[0]
	b.Set(make([]byte, b.Cap()))
	if b.SetString(strings.Repeat("x", b.Cap())); &b.B[0] != array {
		t.Error("content that fills the array exactly has moved to another one")
	}
	if string(c) != "hello" || d.String() != "hello" || string(e[:n]) != "hel" {
		t.Errorf("%q %q %q", c, d, e[:n])
	}
	if !bytespool.Release(c) || !b.Release() || !d.Release() || inUse() != before {
		t.Errorf("not released, %d arrays leaked", inUse()-before)
	}
	if b = nil; b.String() != "" || b.Release() || b.Close() != buffer.ErrClose {
		t.Error("String, Release or Close of nil")
	}
	b.Put()
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

// somewhere returns Buffers in all states in which they may be in use.
func somewhere() map[string]*buffer.Buffer {
	grown := buffer.Make(8)
	grown.Write(make([]byte, 100))
	return map[string]*buffer.Buffer{"got": buffer.Get(), "made": buffer.Make(100), "grown": grown, "foreign": buffer.NewBuffer(make([]byte, 128))}
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
	if r.Size() != 0 {
		t.Error("a reader in the pool shows what it read")
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
