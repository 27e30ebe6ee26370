package api

import (
	"go/ast"
	"go/types"
	"go/version"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// since says which release of Go has the first version of a function, where that is not
// the oldest one that poolcheck needs.
var since = map[string]string{"bytes.CutLast": "go1.27", "strings.CutLast": "go1.27"}

// elsewhere has the packages that no module of this repository requires, so that only their stubs in testdata
// are at hand.
var elsewhere = []string{
	"github.com/apache/arrow/go/", "github.com/fatedier/golib/pool", "github.com/fufuok/bytespool", "github.com/gobwas/pool/pbytes", "github.com/golang/snappy",
	"github.com/libp2p/go-buffer-pool", "github.com/oxtoacart/bpool", "github.com/valyala/fasthttp", "github.com/valyala/gozstd", "go.uber.org/zap/buffer",
	"golang.org/x/sync/errgroup",
}

// A row whose function does not exist does nothing, and nobody would notice.
func TestRowsExist(t *testing.T) {
	if _, err := os.Stat("../../../go.work"); err != nil {
		t.Skip("a checkout of this module alone, without the packages that rows are about")
	}
	table := New()
	var paths []string
	for name := range table {
		path := PackageOf(name)
		if !slices.ContainsFunc(elsewhere, func(p string) bool { return strings.HasPrefix(path, p) }) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, pkg := range pkgs {
		if pkg.Types == nil || len(pkg.Errors) > 0 {
			t.Fatalf("%s: %v", pkg.PkgPath, pkg.Errors)
		}
		for _, name := range pkg.Types.Scope().Names() {
			switch obj := pkg.Types.Scope().Lookup(name).(type) {
			case *types.Func:
				known[obj.FullName()] = true
			case *types.TypeName:
				addMethods(known, obj)
			}
		}
	}
	for name := range table {
		since := since[name]
		if slices.Contains(paths, PackageOf(name)) && known[name] == (version.Compare(runtime.Version(), since) < 0) {
			t.Errorf("%s: exists: %v, first release %q", name, known[name], since)
		}
	}
}

// addMethods adds the methods of a type, by the names of those that declare
// them.
func addMethods(known map[string]bool, obj *types.TypeName) {
	for _, typ := range []types.Type{obj.Type(), types.NewPointer(obj.Type())} {
		set := types.NewMethodSet(typ)
		for i := range set.Len() {
			f := set.At(i).Obj().(*types.Func).Origin()
			name := f.FullName()
			if open := strings.IndexByte(name, '['); open >= 0 {
				name = name[:open] + name[strings.LastIndexByte(name, ']')+1:]
			}
			known[name] = true
			if types.IsInterface(typ) { // also if the method is another interface's
				known["("+typ.String()+")."+f.Name()] = true
			}
		}
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"os.Exit":                       "os",
		"(*bytes.Buffer).Reset":         "bytes",
		"(io.Writer).Write":             "io",
		"example.com/a.b/pool.Get":      "example.com/a.b/pool",
		"(*example.com/a/pool.Buf).Put": "example.com/a/pool",
		"nothing":                       "nothing",
	} {
		if got := PackageOf(name); got != want {
			t.Errorf("PackageOf(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestExtend(t *testing.T) {
	table := New()
	err := table.Extend(`
# our pool
acquire example.com/pool.Get
release example.com/pool.Swap 1   # takes the old one
acquire example.com/pool.Swap
borrow (*example.com/codec.T).Decode
`)
	if err != nil {
		t.Fatal(err)
	}
	swap := table["example.com/pool.Swap"]
	if want := []Effect{{Op: Release, Arg: 1}, {Op: Acquire}}; swap == nil || !slices.Equal(swap.Effects, want) {
		t.Errorf("Swap: %+v, want %+v", swap, want)
	}
	if codec := table["(*example.com/codec.T).Decode"]; codec == nil || len(codec.Effects) != 0 {
		t.Errorf("Decode: %+v, want a row without effects", codec)
	}
	packages := table.Packages()
	if pool, named := packages["example.com/pool"]; !named || pool {
		t.Errorf("example.com/pool: named %t, a pool from the start %t", named, pool)
	}
	if !packages[BytespoolPath] {
		t.Error("bytespool is no pool from the start")
	}
}

func TestExtendRefuses(t *testing.T) {
	for _, line := range []string{
		"acquire",
		"acquire Get",
		"takes example.com/pool.Get",
		"release example.com/pool.Put first",
		"release example.com/pool.Put -1",
		"release example.com/pool.Put 0 1",
	} {
		if err := New().Extend("\n" + line); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// What is nothing but pools has no other functions that might keep what they are given. Rows of one package agree.
func TestPackages(t *testing.T) {
	for path, pools := range New().Packages() {
		if want := path != "github.com/valyala/fasthttp" && !strings.Contains(path, "zstd") && !strings.HasSuffix(path, "/snappy"); pools != want {
			t.Errorf("%s: nothing but pools: %t, want %t", path, pools, want)
		}
	}
}

// Each method of binary's decoders and appenders has a row, so that what a new one shows or overwrites is thought of;
// except for those that only look, mark a place or return a number.
func TestRowsOfBinary(t *testing.T) {
	silent := map[string]string{
		"Decoder": `Align Begin Begin16 Begin24 Begin32 Begin8 BeginVarint Bool Canonical Copy Done End Err Fail
			Float32 Float64 Int16 Int32 Int64 Int8 Len Len16 Len32 Len64 Len8 LenVarint Mark Offset Skip String String16
			String32 String8 StringVarint Uint16 Uint24 Uint32 Uint64 Uint8 Uvarint Varint`,
		"StreamDecoder": "Begin Canonical End Err Fail Len Limit Mark Offset Resume",
		"Appender":      "",
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes}, BinaryPath)
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Skipf("a checkout of this module alone: %v", err)
	}
	table := New()
	for name, silent := range silent {
		obj := pkgs[0].Types.Scope().Lookup(name).(*types.TypeName)
		methods := make(map[string]bool)
		addMethods(methods, obj)
		for full := range methods {
			method := full[strings.LastIndexByte(full, '.')+1:]
			if ast.IsExported(method) && table[full] == nil && !slices.Contains(strings.Fields(silent), method) && !strings.HasPrefix(full, "("+BinaryPath+"."+"Decoder") {
				t.Errorf("%s has no row", full)
			}
		}
	}
}
