package bytespool_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	octet "github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool"
	"github.com/octet-go/octet/internal/sanitize"
)

func TestMinMax(t *testing.T) {
	p := bytespool.NewCapacityPools(100, 10000)
	for _, c := range []struct {
		name            string
		b               []byte
		length, length2 int
	}{
		{"NewMin", p.NewMin(), 100, 128},
		{"NewMax", p.NewMax(), 10000, 16384},
		{"MakeMin", p.MakeMin(), 0, 128},
		{"MakeMax", p.MakeMax(), 0, 16384},
		{"Make64", p.Make64(300), 0, 512},
		{"New64", p.New64(300), 300, 512},
		{"Get", p.Get(300), 300, 512},
		{"Clone", p.Clone(make([]byte, 300)), 300, 512},
	} {
		if len(c.b) != c.length || cap(c.b) != c.length2 {
			t.Errorf("%s: len %d, cap %d; want %d and %d", c.name, len(c.b), cap(c.b), c.length, c.length2)
		}
		p.Put(c.b)
	}
	if s := p.Stats(); s.InUse != 0 || s.Puts != 8 {
		t.Errorf("after Put of all: %d in use, %d released", s.InUse, s.Puts)
	}
}

func TestTooLargePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"New64":   func() { bytespool.New64(math.MaxUint64) },
		"Make64":  func() { bytespool.Make64(1 << 63) },
		"Bytes<0": func() { bytespool.Bytes(-1, 5) },
		"Bytes>":  func() { bytespool.Bytes(6, 5) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "bytespool: ") {
					t.Errorf("%s: panic with %q, want a message of bytespool", name, s)
				}
			}()
			f()
			t.Errorf("%s did not panic", name)
		}()
	}
}

func TestBytes(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {0, 10}, {5, 10}, {10, 10}} {
		if b := bytespool.Bytes(c[0], c[1]); len(b) != c[0] || cap(b) != c[1] {
			t.Errorf("Bytes(%d, %d): len %d, cap %d", c[0], c[1], len(b), cap(b))
		}
	}
}

// The functions use the default pools, which are those of octet's bytespool.
func TestFunctions(t *testing.T) {
	p := octet.Default()
	content := []byte("content")
	for name, f := range map[string]func() []byte{
		"New":          func() []byte { return bytespool.New(7) },
		"Get":          func() []byte { return bytespool.Get(7) },
		"New64":        func() []byte { return bytespool.New64(7) },
		"NewMin":       bytespool.NewMin,
		"NewMax":       bytespool.NewMax,
		"Make":         func() []byte { return bytespool.Make(7) },
		"Make64":       func() []byte { return bytespool.Make64(7) },
		"MakeMin":      bytespool.MakeMin,
		"MakeMax":      bytespool.MakeMax,
		"NewBytes":     func() []byte { return bytespool.NewBytes(content) },
		"NewString":    func() []byte { return bytespool.NewString(string(content)) },
		"Clone":        func() []byte { return bytespool.Clone(content) },
		"Append":       func() []byte { return bytespool.Append(nil, content...) },
		"AppendString": func() []byte { return bytespool.AppendString(nil, string(content)) },
	} {
		before := p.Stats().Gets
		b := f()
		if n := p.Stats().Gets - before; n != 1 {
			t.Errorf("%s: %d requests of the default pools", name, n)
		}
		if slices.Contains(strings.Fields("NewBytes NewString Clone Append AppendString"), name) && string(b) != "content" {
			t.Errorf("%s: %q", name, b)
		}
		bytespool.Put(b)
		if sanitize.Enabled { // which allocates
			continue
		}
		if n := testing.AllocsPerRun(100, func() { bytespool.Put(f()) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if lo, hi := bytespool.MinSize(), bytespool.MaxSize(); lo != 2 || hi != 4<<20 {
		t.Errorf("bounds %d, %d", lo, hi)
	}
}

func TestInitDefaultPools(t *testing.T) {
	lo, hi := bytespool.MinSize(), bytespool.MaxSize()
	defer bytespool.InitDefaultPools(lo, hi)
	before := bytespool.DefaultCapacityPools
	bytespool.InitDefaultPools(512, 4096)
	if bytespool.DefaultCapacityPools != before || bytespool.MinSize() != 512 || cap(octet.Make(4096)) != 4096 {
		t.Error("the default pools are others now, or have other bounds")
	}
	if b := bytespool.Make(10); cap(b) < 512 {
		t.Errorf("cap %d, want 512, or more if slices have grown", cap(b))
	}
	if b := bytespool.New(10240); cap(b) != 10240 || bytespool.Release(b) {
		t.Error("a slice above the largest class was kept")
	}
}

// Pools with options of octet's bytespool have the names of this package, and slices pass
// from one package to the other.
func ExampleCapacityPools() {
	pools := octet.NewPool(octet.WithSizes(8, 1024), octet.WithName("frames"))
	p := &bytespool.CapacityPools{Pool: pools}
	b := p.Get(100)
	pools.Release(b)
	s := p.Stats()
	fmt.Println(s.Name, s.Gets, s.InUse)
	// Output: frames 1 0
}
