// Package api_test compares the exported API of the module with octet.txt, which a
// change of the API changes too, so that it is seen in review.
package api_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

const (
	module = "github.com/octet-go/octet"
	file   = "octet.txt"
)

var update = flag.Bool("update", false, "write the API into "+file)

// TestAPI runs with the build tags and for the platform of the test: the API is the
// same with all of them.
func TestAPI(t *testing.T) {
	testenv.NeedsExec(t)
	var lines []string
	for _, p := range load(t) {
		lines = append(lines, describe(p)...)
	}
	slices.Sort(lines)
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("new:  %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(lines, line) {
			t.Errorf("gone: %s", line)
		}
	}
	if t.Failed() {
		t.Log("if this is meant: go test ./api -update")
	} else if !slices.Equal(lines, want) {
		t.Errorf("%s is not sorted: go test ./api -update", file)
	}
}

// load returns the packages of the module that programs can import.
func load(t *testing.T) (packages []*types.Package) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-tags="+testenv.BuildSetting("-tags"), "-f={{.ImportPath}}\t{{.Dir}}\t{{.Export}}", "../...")
	cmd.Env = append(os.Environ(), "GOWORK=off") // this module alone
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, &stderr)
	}
	files := make(map[string]string) // by package
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		path, dir, name := fields[0], fields[1], fields[2]
		files[path] = name
		if strings.HasPrefix(path, module) {
			// Go does not repeat a test unless something that it read has changed.
			if _, err := os.ReadDir(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
	for path, name := range files {
		if strings.HasPrefix(path, module+"/") && !strings.Contains(path, "/internal/") && name != "" {
			p, err := compiled.Import(path)
			if err != nil {
				t.Fatal(err)
			}
			packages = append(packages, p)
		}
	}
	return packages
}

// describe returns a line for each exported name of p, with those of fields and methods.
func describe(p *types.Package) (lines []string) {
	name := strings.TrimPrefix(p.Path(), module+"/")
	qualifier := func(other *types.Package) string {
		if other == p || strings.Contains(other.Path(), "/internal/") { // see typeName
			return ""
		}
		return strings.TrimPrefix(other.Path(), module+"/")
	}
	for _, n := range p.Scope().Names() {
		o := p.Scope().Lookup(n)
		if !o.Exported() {
			continue
		}
		d := describer{name + ": ", qualifier}
		lines = append(lines, d.object(o)...)
	}
	return lines
}

// A describer writes lines that begin with the name of a package.
type describer struct {
	prefix    string
	qualifier types.Qualifier
}

func (d describer) object(o types.Object) []string {
	switch o := o.(type) {
	case *types.Const:
		return []string{fmt.Sprintf("%sconst %s %s = %s", d.prefix, o.Name(), d.typ(o.Type()), o.Val().ExactString())}
	case *types.Var:
		return []string{d.prefix + "var " + o.Name() + " " + d.typ(o.Type())}
	case *types.Func:
		return []string{d.prefix + "func " + o.Name() + d.typeParams(o.Signature().TypeParams()) + d.signature(o.Signature())}
	case *types.TypeName:
		return d.typeName(o)
	}
	panic(fmt.Sprintf("unknown object: %v", o))
}

func (d describer) typeName(o *types.TypeName) []string {
	line := d.prefix + "type " + o.Name()
	named, _ := o.Type().(*types.Named)
	if a, ok := o.Type().(*types.Alias); ok {
		named, _ = a.Rhs().(*types.Named)
		if named == nil || !strings.Contains(named.Obj().Pkg().Path(), "/internal/") {
			return []string{line + d.typeParams(a.TypeParams()) + " = " + d.typ(a.Rhs())}
		}
		// An internal type is described under the one name that programs can write.
	}
	line += d.typeParams(named.TypeParams()) + " "
	switch u := named.Underlying().(type) {
	case *types.Interface:
		return []string{line + d.iface(u)}
	case *types.Struct:
		lines := []string{line + "struct"}
		for f := range u.Fields() {
			if f.Exported() {
				lines = append(lines, d.prefix+"field ("+o.Name()+") "+f.Name()+" "+d.typ(f.Type()))
			}
		}
		return append(lines, d.methods(o.Name(), named)...)
	default:
		return append(d.methods(o.Name(), named), line+d.typ(u))
	}
}

func (d describer) methods(name string, named *types.Named) (lines []string) {
	values := types.NewMethodSet(named)
	for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if f := m.Obj().(*types.Func); f.Exported() {
			receiver := name
			if values.Lookup(f.Pkg(), f.Name()) == nil {
				receiver = "*" + name
			}
			lines = append(lines, d.prefix+"method ("+receiver+") "+f.Name()+d.signature(m.Type().(*types.Signature)))
		}
	}
	return lines
}

// iface returns an interface. Methods that other packages cannot have only seal it.
func (d describer) iface(i *types.Interface) string {
	for m := range i.ExplicitMethods() {
		if !m.Exported() {
			if i.NumExplicitMethods() > 1 {
				panic("a sealed interface with more than one method")
			}
			return "interface{ sealed }"
		}
	}
	return d.typ(i)
}

// signature returns parameters and results without their names.
func (d describer) signature(s *types.Signature) string {
	var b bytes.Buffer
	types.WriteSignature(&b, unnamed(s), d.qualifier)
	return b.String()
}

func unnamed(s *types.Signature) *types.Signature {
	tuple := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			typ := v.Type()
			if f, ok := typ.(*types.Signature); ok {
				typ = unnamed(f)
			}
			vars = append(vars, types.NewParam(token.NoPos, nil, "", typ))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, tuple(s.Params()), tuple(s.Results()), s.Variadic())
}

func (d describer) typ(t types.Type) string {
	if s, ok := t.(*types.Signature); ok {
		t = unnamed(s)
	}
	return types.TypeString(t, d.qualifier)
}

func (d describer) typeParams(list *types.TypeParamList) string {
	var params []string
	for p := range list.TypeParams() {
		params = append(params, p.String()+" "+d.typ(p.Constraint()))
	}
	if params == nil {
		return ""
	}
	return "[" + strings.Join(params, ", ") + "]"
}
