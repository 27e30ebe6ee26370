package buffer

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// checking makes the package use other pools, in the given mode, and returns what is
// found.
func checking(t *testing.T, c check.Config) (found func() []finding.Report) {
	t.Helper()
	found = checktest.Start(t, c)
	useSource(t, engine.Of(bytespool.NewPool(bytespool.WithSizes(16, 1<<20), bytespool.WithName("mine"))))
	return found
}

var checkedModes = []check.Config{{Mode: check.Sample, OneIn: 1}, {Mode: check.Full}, {Mode: check.Guard}}

// Every method that reads or writes reports that the Buffer was released, and leaves
// its memory alone.
func TestStaleCallsAreReported(t *testing.T) {
	for _, mode := range checkedModes {
		t.Run(mode.Mode.String(), func(t *testing.T) {
			found := checking(t, mode)
			for name, use := range map[string]func(b *Buffer){
				"Write":           func(b *Buffer) { b.Write([]byte("x")) },
				"WriteString":     func(b *Buffer) { b.WriteString("x") },
				"WriteByte":       func(b *Buffer) { b.WriteByte('x') },
				"WriteRune":       func(b *Buffer) { b.WriteRune('x') },
				"Grow":            func(b *Buffer) { b.lengthen(1) },
				"ReadFrom":        func(b *Buffer) { b.ReadFrom(strings.NewReader("x")) },
				"Reset and Write": func(b *Buffer) { b.Reset(); b.Write([]byte("x")) },
				"Bytes":           func(b *Buffer) { _ = b.Bytes() },
				"String":          func(b *Buffer) { _ = b.String() },
				"Len":             func(b *Buffer) { _ = b.Len() },
				"ReadByte":        func(b *Buffer) { b.ReadByte() },
				"ReadRune":        func(b *Buffer) { b.ReadRune() },
				"ReadBytes":       func(b *Buffer) { b.ReadBytes('x') },
				"ReadString":      func(b *Buffer) { b.ReadString('x') },
				"Next":            func(b *Buffer) { b.Next(1) },
				"Peek":            func(b *Buffer) { b.Peek(1) },
				"WriteTo":         func(b *Buffer) { b.WriteTo(new(strings.Builder)) },
				"Truncate":        func(b *Buffer) { b.Truncate(0) },
				"Detach":          func(b *Buffer) { b.Detach() },
				"Share":           func(b *Buffer) { b.Share() },
				"Body":            func(b *Buffer) { b.Body().Close() },
				"LogValue":        func(b *Buffer) { b.LogValue() },
			} {
				b := Get()
				b.WriteString("content")
				b.Release()
				n := len(found())
				use(b)
				list := slices.DeleteFunc(found()[n:], func(f finding.Report) bool {
					return f.Code == finding.Leak // what Detach and Share return is collected at any time
				})
				if len(list) == 0 || list[0].Code != finding.UseAfterRelease || list[0].Object != "Buffer" ||
					len(list[0].Acquired) == 0 || len(list[0].Released) == 0 || len(list[0].Now) == 0 {
					t.Errorf("%s: found %+v", name, list)
				}
			}
		})
	}
}

// Second releases are reported, and releases to where a thing does not belong.
func TestReleasesAreChecked(t *testing.T) {
	for _, mode := range checkedModes {
		t.Run(mode.Mode.String(), func(t *testing.T) {
			found := checking(t, mode)
			for name, c := range map[string]struct {
				misuse func()
				want   finding.Code
			}{
				"twice": {func() { b := Get(); b.Release(); b.Release() }, finding.DoubleRelease},
				"after others came": {func() {
					b := Get()
					b.Release()
					Get().Release()
					b.Release()
				}, finding.DoubleRelease},
				"Share":      {func() { b := Get(); s := b.Share(); s.Release(); s.Release(); b.Release() }, finding.DoubleRelease},
				"references": {func() { b := Get(); b.RefInc(); b.Release(); b.Release(); b.Release() }, finding.DoubleRelease},
			} {
				n := len(found())
				c.misuse()
				list := found()[n:]
				if len(list) == 0 || list[0].Code != c.want {
					t.Errorf("%s: found %+v, want code %q", name, list, c.want)
				}
			}
		})
	}
}

func TestLostBuffersAreReported(t *testing.T) {
	for _, mode := range checkedModes {
		t.Run(mode.Mode.String(), func(t *testing.T) {
			found := checking(t, mode)
			for range 10 {
				Make(100).WriteString("content") // its array is not another leak
			}
			testenv.Eventually(t, "the first and the tenth are reported", func() bool {
				runtime.GC()
				return len(found()) >= 2
			})
			for range 5 { // the arrays would come to light, too
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
			list := found()
			if len(list) != 2 || list[1].Count != 10 {
				t.Fatalf("found %+v", list)
			}
			if r := list[0]; r.Code != finding.Leak || r.Object != "Buffer" || r.Size != 128 || r.Pool != "mine" {
				t.Errorf("found %+v", r)
			}
		})
	}
}

// A share of all Buffers is tracked, and the others come from the pool.
func TestSampledBuffers(t *testing.T) {
	found := checking(t, check.Config{Mode: check.Sample, OneIn: 100})
	sampled, all := 0, 0
	for deadline := time.Now().Add(time.Minute); sampled < 20 || all < 50_000; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d were sampled", sampled, all)
		}
		for range 10_000 {
			b := Get()
			if b.refs.Tracked() {
				sampled++
			}
			all++
			b.Release()
		}
	}
	const places = 4 // which the calls here are, at most, as the stack tells them
	if sampled > all/100+check.MaxSamples+places*check.NewFor {
		t.Errorf("%d of %d were sampled: more than one in 100", sampled, all)
	}
	if list := found(); len(list) > 0 {
		t.Errorf("found %+v", list)
	}
}

// A sampled slice that becomes the array of a Buffer is released with it, and that is seen,
// although the Buffer itself is not tracked.
func TestSampledArrays(t *testing.T) {
	for name, use := range map[string]func(s []byte){
		"assigned":         func(s []byte) { b := new(Buffer); b.B = s; b.Release() },
		"assigned, of Get": func(s []byte) { b := Get(); b.B = s; b.Release() },
		"NewBuffer":        func(s []byte) { NewBuffer(s).Release() },
		"outgrown":         func(s []byte) { b := Get(); b.B = s; b.Write(make([]byte, 10_000)); b.Release() },
	} {
		found := checking(t, check.Config{Mode: check.Sample, OneIn: 100})
		scope := check.NewScope()
		sampled := 0
		for deadline := time.Now().Add(20 * time.Second); sampled < 20; {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d were sampled", name, sampled)
			}
			for range 1000 {
				s := bytespool.New(4096)
				if check.Displaced(s) != 0 {
					sampled++
				}
				use(s)
			}
		}
		for _, f := range scope.Outstanding() {
			t.Errorf("%s: not released: %s", name, f.Error())
		}
		scope.End()
		for _, f := range found() {
			t.Errorf("%s: %s", name, f.Error())
		}
	}
}

// TestArraysFromAnywhere sees that no array which no pool has handed out is foreign to a
// Buffer, which releases what its B shows, also where releasing such a slice to the pool is a
// misuse.
func TestArraysFromAnywhere(t *testing.T) {
	for _, mode := range checkedModes {
		mode.Foreign = true
		found := checktest.Start(t, mode)
		p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20)) // a strict one, because it is made now
		useSource(t, engine.Of(p))
		for name, use := range map[string]func(b *Buffer){
			"replaced": func(b *Buffer) { b.B = make([]byte, 0, 256) },
			"appended": func(b *Buffer) { b.B = append(b.B, make([]byte, 1000)...) },
			"grown":    func(b *Buffer) { b.B = make([]byte, 128); b.Write(make([]byte, 1000)) },
			"detached": func(b *Buffer) { b.WriteString("x"); b.B = b.Detach() },
		} {
			b := Make(100)
			use(b)
			b.Release()
			b = NewBuffer(make([]byte, 0, 128))
			use(b)
			b.Release()
			for _, f := range found() {
				t.Errorf("%v, %s: %s", mode.Mode, name, f.Error())
			}
		}
		if p.Release(make([]byte, 128)); mode.Mode >= check.Full && len(found()) != 1 {
			t.Errorf("%v: a foreign slice is not reported", mode.Mode)
		}
	}
}

// An array that other pools have handed out does not go to those of the Buffer unnoticed:
// the others would count it as in use for ever.
func TestArraysOfOtherPools(t *testing.T) {
	for _, mode := range checkedModes {
		for _, foreign := range []bool{false, true} {
			mode.Foreign = foreign
			t.Run(mode.Mode.String(), func(t *testing.T) {
				for name, take := range map[string]func(p []byte) *Buffer{
					"NewBuffer": func(p []byte) *Buffer { return NewBuffer(p[:0]) },
					"B":         func(p []byte) *Buffer { b := Make(0); b.B = p; return b },
					"declared":  func(p []byte) *Buffer { return &Buffer{B: p} },
				} {
					for _, grow := range []bool{false, true} {
						found := checking(t, mode)
						p, err := bytespool.NewPool(bytespool.WithSizes(16, 1<<20), bytespool.WithLimit(1<<20)).TryNew(4096)
						if err != nil {
							t.Fatal(err)
						}
						b := take(p)
						if grow {
							b.Write(make([]byte, 10_000))
						}
						b.Release()
						want := 0
						if foreign {
							want = 1
						}
						if got := found(); len(got) != want || foreign && got[0].Code != finding.ForeignRelease {
							t.Errorf("foreign=%v, %s, grown: %v: found %v", foreign, name, grow, got)
						}
						check.Set(check.Config{})
					}
				}
			})
		}
	}
}
