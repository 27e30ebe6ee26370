//go:build !race

// One goroutine does all of this, so that the race detector has nothing to look for.

package flow

import (
	"cmp"
	"fmt"
	"go/types"
	"go/version"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// standardPackages are those whose functions show or keep bytes most often. Larger ones
// would take the test too long.
var standardPackages = []string{"bufio", "bytes", "encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex", "errors",
	"io", "net/url", "regexp", "strconv", "strings", "unicode/utf8"}

// findsAll are functions that return, since Go 1.27, what slices.Collect takes out of an
// iterator: a package that is not here does it.
var findsAll = map[string]bool{"(*regexp.Regexp).FindAll": true, "(*regexp.Regexp).FindAllString": true}

// TestStandard holds the table's rows for the standard library to its source: what a
// function's body shows to do with its arguments, a row says, and the other way round.
func TestStandard(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, standardPackages...)
	if err != nil {
		t.Fatal(err)
	}
	table := api.New()
	prog, built := ssautil.Packages(pkgs, 0)
	for i, pkg := range built {
		pkg.Build()
		// What the table says of the package itself is what is to be found.
		others := maps.Clone(table)
		maps.DeleteFunc(others, func(name string, _ *api.Func) bool { return api.PackageOf(name) == pkgs[i].PkgPath })
		p := New(Config{
			Table: others, Names: NewNames(pkgs[i].Syntax), Prog: prog,
			Annotated:     func(*types.Func, *ssa.CallCommon) *api.Func { return nil },
			AnnotatedType: func(*ssa.CallCommon) *api.Func { return nil },
			Imported:      func(*types.Func) *Summary { return nil },
		})
		fns := declaredIn(pkg)
		p.Select(fns)
		for _, fn := range fns {
			obj, ok := fn.Object().(*types.Func)
			if !ok || !obj.Exported() || !receiverExported(obj) {
				continue
			}
			name := Name(obj)
			if findsAll[name] && version.Compare(runtime.Version(), "go1.27") >= 0 {
				continue
			}
			seen, said := flowsOf(fn, p.Summary(fn)), flowsSaid(fn, table[name])
			why := exceptions[name]
			if why != "" && maps.Equal(seen, said) {
				t.Errorf("%s: is no exception", name)
			}
			for m := range seen {
				if !said[m] && why == "" {
					t.Errorf("%s: %v, and no row says so", name, m)
				}
			}
			for m := range said {
				if !seen[m] && why == "" {
					t.Errorf("%s: a row says that %v, and its body does not show it", name, m)
				}
			}
		}
	}
}

// exceptions say why rows and bodies differ, by the names of the functions.
var exceptions = func() map[string]string {
	m := make(map[string]string)
	for why, names := range map[string]string{
		"a loop fills a list with parts, or copies readers into one": `io.MultiReader io.MultiWriter
			bytes.Fields bytes.FieldsFunc bytes.Split bytes.SplitAfter bytes.SplitAfterN bytes.SplitN
			strings.Fields strings.FieldsFunc strings.Split strings.SplitAfter strings.SplitAfterN strings.SplitN
			(*regexp.Regexp).FindAllStringSubmatch
			(*regexp.Regexp).FindAllSubmatch (*regexp.Regexp).FindStringSubmatch (*regexp.Regexp).FindSubmatch`,
		"a package that is not here does it": `strings.Cut strings.CutPrefix strings.CutSuffix strings.TrimPrefix
			strings.TrimSuffix strconv.AppendBool strconv.AppendFloat strconv.AppendInt strconv.AppendUint`,
		"the body has more paths than are followed, or functions that are not known": `bufio.NewReader
			bufio.NewWriter strings.SplitSeq strings.SplitAfterSeq strings.TrimFunc
			net/url.Parse net/url.ParseRequestURI strings.ReplaceAll (*strings.Replacer).Replace`,
		"an Encoding, a Regexp or a Builder is nothing that is pooled": `encoding/base64.NewDecoder
			encoding/base64.NewEncoder (*strings.Builder).String (*regexp.Regexp).LiteralPrefix
			(*regexp.Regexp).String (*regexp.Regexp).SubexpNames`,
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = why
		}
	}
	return m
}()

// declaredIn returns the functions and methods of pkg, sorted.
func declaredIn(pkg *ssa.Package) []*ssa.Function {
	var fns []*ssa.Function
	for fn := range ssautil.AllFunctions(pkg.Prog) {
		if fn.Pkg == pkg && fn.Synthetic == "" && len(fn.Blocks) > 0 && fn.Parent() == nil {
			fns = append(fns, fn)
		}
	}
	slices.SortFunc(fns, func(a, b *ssa.Function) int { return cmp.Compare(a.String(), b.String()) })
	return fns
}

func receiverExported(m *types.Func) bool {
	recv := m.Signature().Recv()
	if recv == nil {
		return true
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.(*types.Named).Obj().Exported()
}

// A movement says that an argument can be reached from a result or, if that is -1, is
// kept.
type movement struct{ arg, result int }

func (m movement) String() string {
	if m.result < 0 {
		return fmt.Sprintf("argument %d is kept", m.arg)
	}
	return fmt.Sprintf("result %d shows argument %d", m.result, m.arg)
}

type movements map[movement]bool

// add adds a movement of fn, unless the argument or the result holds no memory.
func (ms movements) add(fn *ssa.Function, arg, result int) {
	if arg >= len(fn.Params) || !carries(fn.Params[arg].Type()) || holdsFunctions(fn.Params[arg].Type()) {
		return
	}
	if result >= 0 {
		t := fn.Signature.Results().At(result).Type()
		if !carries(t) || isError(t) {
			return
		}
	}
	ms[movement{arg, result}] = true
}

// flowsOf returns what the summary of fn says.
func flowsOf(fn *ssa.Function, s *Summary) movements {
	ms := make(movements)
	if s == nil {
		return ms
	}
	argument := func(path string) int {
		root, _, _ := strings.Cut(path, "/")
		n, _ := strconv.Atoi(root)
		return n
	}
	for _, o := range s.Outcomes {
		for k, d := range o.Results {
			d.each(func(r DescRef) { ms.add(fn, argument(r.Path), k) })
		}
		for _, st := range o.Stores {
			st.Value.each(func(r DescRef) {
				if from := argument(r.Path); from != argument(st.Path) {
					ms.add(fn, from, -1)
				}
			})
		}
		for _, d := range o.Deeds {
			if d.Op == api.Keep && !strings.Contains(d.Path, "/") {
				ms.add(fn, argument(d.Path), -1)
			}
		}
	}
	return ms
}

// flowsSaid returns what a row says of fn.
func flowsSaid(fn *ssa.Function, row *api.Func) movements {
	ms := make(movements)
	if row == nil {
		return ms
	}
	for _, f := range row.Effects {
		switch f.Op {
		case api.Whole, api.Part, api.View:
			ms.add(fn, f.Arg, f.Res)
		case api.Hold, api.StoreIn, api.Keep:
			ms.add(fn, f.Arg, -1)
		}
	}
	return ms
}

// each calls f for every input that d leads to.
func (d Desc) each(f func(DescRef)) {
	for _, r := range d.Refs {
		f(r)
	}
	for _, c := range d.Cells {
		c.Value.each(f)
	}
	for _, c := range d.Parts {
		c.Value.each(f)
	}
}
