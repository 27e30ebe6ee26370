package source

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/internal/testenv"
)

func TestFileMap(t *testing.T) { testenv.WantFileMap(t) }

// newTree returns module example.com/m with these files.
func newTree(t testing.TB, files map[string]string) *Tree {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n"
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// frame returns a frame of function f of the module.
func frame(tree *Tree, file string, line int) profiles.Frame {
	return profiles.Frame{Func: "example.com/m.f", File: filepath.Join(tree.Root(), file), Line: line}
}

func std(name string) profiles.Frame {
	return profiles.Frame{Func: name, File: "/go/src/x.go", Line: 1}
}

// What a function returns is followed into its caller.
func TestCallers(t *testing.T) {
	const text = `package m

func take(n int) []byte { return make([]byte, n) }

func two(n int) (int, []byte) { return n, make([]byte, n) }

func uses(n int) {
	b := take(n)
	b[0] = 1
}

var kept []byte

func keeps(n int) { kept = take(n) }

func keepsSecond(n int) {
	n, b := two(n)
	kept = b[:n]
}

func closes(n int) {
	b := take(n)
	after(func() { b[0] = 1 })
}
`
	for _, tt := range []struct {
		taker  string
		at     int
		caller string
		line   int
		ends   Ends
		says   string
	}{
		{"take", 3, "example.com/m.uses", 8, Elsewhere, "m.uses, m.go:8, which uses it until line 9"},
		{"take", 3, "example.com/m.keeps", 14, Elsewhere, "m.keeps, m.go:14, where it is stored in kept"},
		{"two", 5, "example.com/m.keepsSecond", 17, Elsewhere, "where it is stored in kept"},
		{"take", 3, "example.com/m.closes", 22, Unknown, "where it is kept by a closure"},
		{"take", 3, "encoding/json.marshalerEncoder", 0, Unknown, "returned to json.marshalerEncoder, which is of another module"},
		{"take", 3, "sync.(*Pool).Get", 0, Elsewhere, "returned to a sync.Pool, which is empty after two collections and is to be replaced"},
	} {
		tree := newTree(t, map[string]string{"m.go": text})
		stack := profiles.Stack{frame(tree, "m.go", tt.at), frame(tree, "m.go", tt.line)}
		stack[0].Func, stack[1].Func = "example.com/m."+tt.taker, tt.caller
		if site := tree.Explain(stack, 0); site == nil || site.Ends != tt.ends || !strings.Contains(site.Advice, tt.says) {
			t.Errorf("%s: %+v, want %s, %q", tt.caller, site, tt.ends, tt.says)
		}
	}
}

// Where any function of many calls any other, each is looked at once.
func TestMany(t *testing.T) {
	src := "package m\n\ntype visitor interface{ visit([]byte, visitor) }\n\nfunc start(v visitor) {\n\tv.visit(make([]byte, 8), v)\n}\n"
	for i := range 10 {
		src += fmt.Sprintf("\ntype t%d struct{}\n\nfunc (t%[1]d) visit(b []byte, v visitor) { v.visit(b, v) }\n", i)
	}
	tree := newTree(t, map[string]string{"m.go": src})
	stack := profiles.Stack{frame(tree, "m.go", 6)}
	if n := testing.AllocsPerRun(1, func() { tree.Explain(stack, 0) }); n > 5000 {
		t.Errorf("%.0f allocations", n)
	}
}

// What an exported function returns to a test is for the callers of the API to release; those in the module are listed.
func TestExported(t *testing.T) {
	tree := newTree(t, map[string]string{
		"m.go":          "package m\n\ntype T struct{}\n\nfunc (*T) Take(n int) []byte {\n\treturn make([]byte, n)\n}\n\nvar _ = new(T).Take(1)\n",
		"m_test.go":     "package m\n\nfunc f() {\n\tprintln(new(T).Take(1)[0])\n}\n",
		"sub/s.go":      "package sub\n\nimport \"example.com/m\"\n\n// Take(3)\nvar _ = new(m.T).Take(2)\n",
		"other/s.go":    "package other\n\nfunc Take(n int) {}\n\nfunc init() { Take(2) }\n",
		"internal/i.go": "package internal\n\nfunc Take(n int) []byte {\n\treturn make([]byte, n)\n}\n",
	})
	explain := func(name, file string, line int) *Site {
		stack := profiles.Stack{frame(tree, file, line), frame(tree, "m_test.go", 4)}
		stack[0].Func = name
		return tree.Explain(stack, 0)
	}
	s := explain("example.com/m.(*T).Take", "m.go", 6)
	if s.Ends != Callers || s.Exported != "Take" || !strings.HasSuffix(s.Advice, "its callers must release it, in the module m.go:9, sub/s.go:6") {
		t.Errorf("%+v", s)
	}
	if s := explain("example.com/m/internal.Take", "internal/i.go", 4); s.Ends == Callers {
		t.Errorf("internal: %+v", s)
	}
}

// Where sources are elsewhere or have moved, the frame is found by its package, and what is not there is said.
func TestFind(t *testing.T) {
	tree := newTree(t, map[string]string{"m.go": "package m\n\nfunc f() {\n}\n"})
	at := func(file string, line int) profiles.Frame {
		return profiles.Frame{Func: "example.com/m.f", File: file, Line: line}
	}
	for _, tt := range []struct {
		fn, file string
		found    bool
	}{
		{"example.com/m.f", "/elsewhere/m.go", true},
		{"example.com/m.f", "example.com/m/m.go", true}, // -trimpath
		{"example.com/m_test.f", "/elsewhere/m.go", true},
		{"example.com/m.f", "/elsewhere/gone.go", false},
		{"example.com/m/sub.f", "/elsewhere/m.go", false},
		{"main.main", "/home/x/m/m.go", true},
		{"main.main", "../../../../../../etc/passwd", false},
		{"main.main", "/dev/zero", false},
		{"main.main", "../x/m_test.go", false},
	} {
		if got := tree.find(profiles.Frame{Func: tt.fn, File: tt.file, Line: 1}); (got != "") != tt.found {
			t.Errorf("%s of %s: %q", tt.file, tt.fn, got)
		}
	}
	if s := tree.Explain(profiles.Stack{at("/x/m_test.go", 3)}, 0); s != nil {
		t.Errorf("a test: %+v", s)
	}
	gone := profiles.Stack{std("io.ReadAll"), at("/x/gone.go", 3)}
	if s := tree.Explain(gone, 1); s == nil || s.Ends != Unknown || !strings.Contains(s.Advice, "its source is not") {
		t.Errorf("a source that is not there: %+v", s)
	}
	proxy := profiles.Stack{std("net/http/httputil.(*ReverseProxy).copyBuffer"), std("net/http/httputil.(*ReverseProxy).ServeHTTP"), at("m.go", 3)}
	if s := tree.Explain(proxy, 2); s == nil || s.Ends != Here || !strings.Contains(s.Advice, "BufferPool") {
		t.Errorf("what another module calls: %+v", s)
	}
	moved := profiles.Stack{std("io.ReadAll"), at("m.go", 1)}
	if s := tree.Explain(moved, 1); s == nil || s.Ends != Unknown || !strings.Contains(s.Advice, "new profile") {
		t.Errorf("a source that has changed: %+v", s)
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ name, pkg, short string }{
		{"runtime.mallocgc", "runtime", "runtime.mallocgc"},
		{"example.com/a/b.(*T).M", "example.com/a/b", "b.(*T).M"},
		{"example.com/a/b%2ev2.F.func1", "example.com/a/b.v2", "b%2ev2.F.func1"},
		{"example.com/a/b.F[example.com/c.T]", "example.com/a/b", "b.F[example.com/c.T]"},
		{"main.main", "main", "main.main"},
		{"", "", ""},
	} {
		if got := packagePath(tt.name); got != tt.pkg {
			t.Errorf("packagePath(%q) = %q", tt.name, got)
		}
		if got := ShortName(tt.name); got != tt.short {
			t.Errorf("ShortName(%q) = %q", tt.name, got)
		}
	}
}

func TestOpen(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("in no module: %v", err)
	}
	if tree := newTree(t, map[string]string{}); tree.Module != "example.com/m" {
		t.Errorf("module %s", tree.Module)
	}
}

// What a function allocates on behalf of its caller is told from what is allocated below it.
func TestAllocator(t *testing.T) {
	for _, tt := range []struct {
		stack string // the innermost first, without the program's
		known bool
	}{
		{"io.ReadAll", true},
		{"io.ReadAll io/ioutil.ReadAll", true},
		{"compress/flate.NewReader compress/gzip.(*Reader).Reset io.ReadAll", false},
		{"encoding/json.Marshal", true},
		{"bytes.growSlice bytes.(*Buffer).grow encoding/json.(*encodeState).marshal encoding/json.Marshal", true},
		{"encoding/json.Marshal example.com/other.Encode", false}, // which is not to be changed
		{"io.copyBuffer io.Copy", true},
		{"net/http/httputil.(*ReverseProxy).copyBuffer net/http/httputil.(*ReverseProxy).ServeHTTP", true},
		{"net/http.Header.Clone net/http/httputil.(*ReverseProxy).ServeHTTP", false},
	} {
		var stack profiles.Stack
		for _, name := range strings.Fields(tt.stack) {
			stack = append(stack, std(name))
		}
		if _, ok := remedyOf(stack); ok != tt.known {
			t.Errorf("%s: %t, want %t", tt.stack, ok, tt.known)
		}
	}
}

// A remedy's text has only placeholders that are filled.
func TestRemedies(t *testing.T) {
	for name, r := range remedies {
		text := strings.NewReplacer("{v}", "", "{v.name}", "", "{1}", "", "{2}", "", "{3}", "").Replace(r.advice + r.release)
		if regexp.MustCompile(`\{[\w.]+\}|%`).MatchString(text) || r.what == "" || r.advice == "" {
			t.Errorf("%s: %q", name, r.advice)
		}
	}
}

// Of several Buffers it is not known which has grown.
func TestBuffers(t *testing.T) {
	tree := newTree(t, map[string]string{"m.go": "package m\n\nfunc f(p []byte) {\n\tvar a bytes.Buffer\n\tb := new(bytes.Buffer)\n\tb.Write(p)\n}\n"})
	s := tree.Explain(profiles.Stack{std("bytes.(*Buffer).grow"), frame(tree, "m.go", 6)}, 1)
	if s == nil || s.What != "a bytes.Buffer grows" || s.Ends != Unknown {
		t.Errorf("%+v", s)
	}
}
