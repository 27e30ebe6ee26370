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

func TestPanics(t *testing.T) {
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
	if b := bytespool.Bytes(5, 10); len(b) != 5 || cap(b) != 10 {
		t.Errorf("Bytes(5, 10): len %d, cap %d", len(b), cap(b))
	}
}

// The functions use the default pools, which are those of octet's bytespool, and the methods of
// CapacityPools, which all allocate nothing.
func TestFunctions(t *testing.T) {
	p := octet.Default()
	content := []byte("content")
	for name, c := range map[string]struct {
		f       func() []byte
		length  int
		atLeast int // the capacity, which is more where slices have grown
	}{
		"New":          {func() []byte { return bytespool.New(7) }, 7, 8},
		"Get":          {func() []byte { return bytespool.Get(7) }, 7, 8},
		"New64":        {func() []byte { return bytespool.New64(7) }, 7, 8},
		"NewMin":       {bytespool.NewMin, 2, 2},
		"NewMax":       {bytespool.NewMax, 4 << 20, 4 << 20},
		"Make":         {func() []byte { return bytespool.Make(7) }, 0, 8},
		"Make64":       {func() []byte { return bytespool.Make64(7) }, 0, 8},
		"MakeMin":      {bytespool.MakeMin, 0, 2},
		"MakeMax":      {bytespool.MakeMax, 0, 4 << 20},
		"NewBytes":     {func() []byte { return bytespool.NewBytes(content) }, 7, 8},
		"NewString":    {func() []byte { return bytespool.NewString(string(content)) }, 7, 8},
		"Clone":        {func() []byte { return bytespool.Clone(content) }, 7, 8},
		"Append":       {func() []byte { return bytespool.Append(nil, content...) }, 7, 8},
		"AppendString": {func() []byte { return bytespool.AppendString(nil, string(content)) }, 7, 8},
		"method Get":   {func() []byte { return bytespool.DefaultCapacityPools.Get(7) }, 7, 8},
		"method Clone": {func() []byte { return bytespool.DefaultCapacityPools.Clone(content) }, 7, 8},
	} {
		before := p.Stats().Gets
		b := c.f()
		if n := p.Stats().Gets - before; n != 1 || len(b) != c.length || cap(b) < c.atLeast {
			t.Errorf("%s: %d requests of the default pools, len %d, cap %d; want %d and %d", name, n, len(b), cap(b), c.length, c.atLeast)
		}
		if slices.Contains(strings.Fields("NewBytes NewString Clone Append AppendString"), name) && string(b) != "content" {
			t.Errorf("%s: %q", name, b)
		}
		bytespool.Put(b)
		if sanitize.Enabled { // which allocates
			continue
		}
		if n := testing.AllocsPerRun(100, func() { bytespool.Put(c.f()) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
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
	if len(bytespool.NewMin()) != 512 || len(bytespool.NewMax()) != 4096 {
		t.Error("NewMin or NewMax")
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
