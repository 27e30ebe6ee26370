package source

import (
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// copies are the functions of the packages that borrow whose results might show what they are given, and do not.
var copies = set(`bytes.Clone bytes.Join bytes.Map bytes.Repeat bytes.Replace bytes.ReplaceAll bytes.Runes bytes.Title bytes.ToLower
	bytes.ToLowerSpecial bytes.ToTitle bytes.ToTitleSpecial bytes.ToUpper bytes.ToUpperSpecial bytes.ToValidUTF8
	crypto/rand.Int crypto/rand.Prime encoding/json.Marshal encoding/json.MarshalIndent encoding/xml.CopyToken encoding/xml.Marshal
	encoding/xml.MarshalIndent hash/crc32.New hash/crc64.New io.ReadAll io/ioutil.ReadAll math/rand.New math/rand.NewZipf os.StartProcess
	slices.Clone slices.Collect slices.Concat slices.Max slices.MaxFunc slices.Min slices.MinFunc slices.Repeat slices.Sorted
	slices.SortedFunc slices.SortedStableFunc sort.Reverse syscall.Recvfrom syscall.Recvmsg syscall.SlicePtrFromStrings syscall.StringSlicePtr syscall.UnixCredentials syscall.UnixRights`)

// Every function of the standard library that is said to borrow, and whose result can refer to what it is given, is known
// to copy it, or does not count as one that borrows.
func TestBorrowing(t *testing.T) {
	testenv.Long(t)
	std := importer.ForCompiler(token.NewFileSet(), "source", nil)
	seen := 0
	for _, path := range slices.Sorted(maps.Keys(borrowingPkgs)) {
		if path == "syscall" && runtime.GOOS != "linux" { // which has other functions
			continue
		}
		p, err := std.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			fn, ok := p.Scope().Lookup(name).(*types.Func)
			if !ok || !fn.Exported() || !refers(fn.Signature().Params(), 0) || !refers(fn.Signature().Results(), 0) {
				continue
			}
			seen++
			if name = path + "." + name; treat(name) == borrows && !copies[name] {
				t.Errorf("%s has a result that may show its arguments: %v", name, fn.Signature())
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d functions", seen)
	}
}

// refers reports whether a value of the type can refer to other memory.
func refers(t types.Type, depth int) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Array:
		return refers(u.Elem(), depth)
	case *types.Struct:
		return depth > 3 || slices.ContainsFunc(slices.Collect(u.Fields()), func(f *types.Var) bool { return refers(f.Type(), depth+1) })
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(u.Variables()), func(v *types.Var) bool { return refers(v.Type(), depth) })
	}
	return t.String() != "error"
}
