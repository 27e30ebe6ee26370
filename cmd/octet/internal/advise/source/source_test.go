package source

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/internal/testenv"
)

func TestFileMap(t *testing.T) { testenv.WantFileMap(t) }

const program = "testdata/program"

func open(t *testing.T) *Tree {
	t.Helper()
	tree, err := Open(program)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// at returns a frame of the program.
func at(line int) profiles.Frame {
	return profiles.Frame{Func: "example.com/program.f", File: "/build/program/program.go", Line: line}
}

func std(name string) profiles.Frame {
	return profiles.Frame{Func: name, File: "/go/src/x.go", Line: 1}
}

// called are functions that the program calls, and their names in profiles.
var called = map[string]string{
	"bytes.Clone(":      "bytes.Clone",
	"io.ReadAll(":       "io.ReadAll",
	"image.NewRGBA(":    "image.NewRGBA",
	".ReadMessage(":     "github.com/gorilla/websocket.(*Conn).ReadMessage",
	".EncodeToString(":  "encoding/base64.(*Encoding).EncodeToString",
	".DecodeString(":    "encoding/base64.(*Encoding).DecodeString",
	".AppendEncode(nil": "encoding/base64.(*Encoding).AppendEncode",
}

// The lines of the program say what is expected of them.
func TestEnds(t *testing.T) {
	if n := wantEnds(t, "program.go") + wantEnds(t, "proofs.go"); n < 115 {
		t.Errorf("only %d lines say what is expected", n)
	}
}

// wantEnds compares what is said of the lines of a file with their comments, and returns how many have one.
func wantEnds(t *testing.T, file string) (checked int) {
	f, err := os.Open(filepath.Join(program, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tree := open(t)
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		code, want, ok := strings.Cut(lines.Text(), " // ")
		if !ok {
			continue
		}
		checked++
		want = behind.ReplaceAllStringFunc(want, func(s string) string { return "line " + strconv.Itoa(n+int(s[len(s)-1]-'0')) })
		ends, says, _ := strings.Cut(want, ": ")
		at := at(n)
		at.File = file
		stack := profiles.Stack{at}
		switch {
		case strings.Contains(code, "bytes.Buffer"), strings.Contains(code, "bytes.NewBuffer"): // grows somewhere below
			at.Line++
			stack = profiles.Stack{std("bytes.growSlice"), std("bytes.(*Buffer).Write"), std("encoding/json.(*Encoder).Encode"), at}
		default:
			for short, name := range called {
				if strings.Contains(code, short) {
					stack = profiles.Stack{std(name), at}
				}
			}
		}
		site := tree.Explain(stack, len(stack)-1)
		if site == nil {
			t.Errorf("%s:%d: no site; want %s", file, n, want)
			continue
		}
		if site.File != file || site.Line != n {
			t.Errorf("%s:%d: is said to be at %s:%d", file, n, site.File, site.Line)
		}
		if string(site.Ends) != ends || !strings.Contains(site.Advice, says) {
			t.Errorf("%s:%d: %s\n%s\nwant %s", file, n, site.Ends, site.Advice, want)
		}
		if len(stack) > 1 && site.Edit != nil && site.Edit.Why == "" && site.Edit.Import != Buffer {
			t.Errorf("%s:%d: what is called has an edit: %+v", file, n, site.Edit)
		}
		// What is not known to end must not be said to be released.
		if site.Ends == Unknown && strings.Contains(site.Advice, "Release") {
			t.Errorf("%s:%d: of memory whose end is unknown: %s", file, n, site.Advice)
		}
	}
	return checked
}

// What a function returns is followed into its caller.
func TestCallers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n")
	write("m.go", `package m

func take(n int) []byte {
	return make([]byte, n)
}

func uses(n int) {
	b := take(n)
	b[0] = 1
}

var kept []byte

func keeps(n int) {
	kept = take(n)
}

func closes(n int) {
	b := take(n)
	after(func() { b[0] = 1 })
}
`)
	for _, tt := range []struct {
		caller string
		line   int
		ends   Ends
		says   string
	}{
		{"example.com/m.uses", 8, Elsewhere, "m.uses, m.go:8, which uses it until line 9"},
		{"example.com/m.keeps", 15, Elsewhere, "m.keeps, m.go:15, where it is stored in kept"},
		{"example.com/m.closes", 19, Unknown, "where it is kept by a closure"},
		{"encoding/json.marshalerEncoder", 0, Unknown, "returned to json.marshalerEncoder, which is of another module"},
		{"sync.(*Pool).Get", 0, Elsewhere, "returned to a sync.Pool, which is empty after two collections and is to be replaced"},
	} {
		tree, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		stack := profiles.Stack{
			{Func: "example.com/m.take", File: filepath.Join(dir, "m.go"), Line: 4},
			{Func: tt.caller, File: filepath.Join(dir, "m.go"), Line: tt.line},
		}
		if tt.line == 0 {
			stack[1] = std(tt.caller)
		}
		site := tree.Explain(stack, 0)
		if site == nil || site.Ends != tt.ends || !strings.Contains(site.Advice, tt.says) {
			t.Errorf("line %d: %+v, want %s, %q", tt.line, site, tt.ends, tt.says)
		}
	}
}

// Where any function of many calls any other, each is looked at once.
func TestMany(t *testing.T) {
	src := "package m\n\ntype visitor interface{ visit([]byte, visitor) }\n\nfunc start(v visitor) {\n\tv.visit(make([]byte, 8), v)\n}\n"
	for i := range 10 {
		src += fmt.Sprintf("\ntype t%d struct{}\n\nfunc (t%[1]d) visit(b []byte, v visitor) { v.visit(b, v) }\n", i)
	}
	dir := folder(t, map[string]string{"go.mod": "module example.com/m\n", "m.go": src})
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	stack := profiles.Stack{{Func: "example.com/m.start", File: filepath.Join(dir, "m.go"), Line: 6}}
	if n := testing.AllocsPerRun(1, func() { tree.Explain(stack, 0) }); n > 5000 {
		t.Errorf("%.0f allocations", n)
	}
}

// folder returns a new folder with these files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Of several results that is followed into the caller which is the memory.
func TestSecondResult(t *testing.T) {
	dir := folder(t, map[string]string{
		"go.mod": "module example.com/m\n",
		"m.go":   "package m\n\nvar kept []byte\n\nfunc take(n int) (int, []byte) {\n\treturn n, make([]byte, n)\n}\n\nfunc keep(n int) {\n\tn, b := take(n)\n\tkept = b[:n]\n}\n",
	})
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "m.go")
	site := tree.Explain(profiles.Stack{{Func: "example.com/m.take", File: file, Line: 6}, {Func: "example.com/m.keep", File: file, Line: 10}}, 0)
	if site == nil || !strings.Contains(site.Advice, "where it is stored in kept") {
		t.Errorf("%+v", site)
	}
}

// What an exported function returns to a test is for the callers of the API to release; those in the module are listed.
func TestExported(t *testing.T) {
	dir := folder(t, map[string]string{
		"go.mod":        "module example.com/m\n",
		"m.go":          "package m\n\ntype T struct{}\n\nfunc (*T) Take(n int) []byte {\n\treturn make([]byte, n)\n}\n\nvar _ = new(T).Take(1)\n",
		"m_test.go":     "package m\n\nfunc f() {\n\tprintln(new(T).Take(1)[0])\n}\n",
		"sub/s.go":      "package sub\n\nimport \"example.com/m\"\n\n// Take(3)\nvar _ = new(m.T).Take(2)\n",
		"other/s.go":    "package other\n\nfunc Take(n int) {}\n\nfunc init() { Take(2) }\n",
		"internal/i.go": "package internal\n\nfunc Take(n int) []byte {\n\treturn make([]byte, n)\n}\n",
	})
	explain := func(name, file string, line int) *Site {
		tree, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return tree.Explain(profiles.Stack{
			{Func: name, File: filepath.Join(dir, file), Line: line},
			{Func: "example.com/m.f", File: filepath.Join(dir, "m_test.go"), Line: 4},
		}, 0)
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
	tree := open(t)
	for _, tt := range []struct {
		fn, file string
		found    bool
	}{
		{"example.com/program.f", "/elsewhere/program.go", true},
		{"example.com/program.f", "example.com/program/program.go", true}, // -trimpath
		{"example.com/program_test.f", "/elsewhere/program.go", true},
		{"example.com/program.f", "/elsewhere/gone.go", false},
		{"example.com/program/sub.f", "/elsewhere/program.go", false},
		{"main.main", "/home/x/program/program.go", true},
		{"main.main", "../../../../../../etc/passwd", false},
		{"main.main", "/dev/zero", false},
		{"main.main", "../source_test.go", false},
	} {
		if got := tree.find(profiles.Frame{Func: tt.fn, File: tt.file, Line: 1}); (got != "") != tt.found {
			t.Errorf("%s of %s: %q", tt.file, tt.fn, got)
		}
	}
	if s := tree.Explain(profiles.Stack{{Func: "example.com/program.f", File: "/x/program_test.go", Line: 3}}, 0); s != nil {
		t.Errorf("a test: %+v", s)
	}
	gone := profiles.Stack{std("io.ReadAll"), {Func: "example.com/program.f", File: "/x/gone.go", Line: 3}}
	if s := tree.Explain(gone, 1); s == nil || s.Ends != Unknown || !strings.Contains(s.Advice, "its source is not") {
		t.Errorf("a source that is not there: %+v", s)
	}
	proxy := profiles.Stack{std("net/http/httputil.(*ReverseProxy).copyBuffer"), std("net/http/httputil.(*ReverseProxy).ServeHTTP"), at(32)}
	if s := tree.Explain(proxy, 2); s == nil || s.Ends != Here || !strings.Contains(s.Advice, "BufferPool") {
		t.Errorf("what another module calls: %+v", s)
	}
	moved := profiles.Stack{std("io.ReadAll"), at(1)}
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
	if tree := open(t); tree.Module != "example.com/program" {
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
		{"github.com/gobwas/ws/internal/saferio.ReadN github.com/gobwas/ws/wsutil.ReadClientData", true},
		{"github.com/klauspost/compress/s2.Decode github.com/klauspost/compress/snappy.Decode", true},
		{"io.copyBuffer io.Copy", true},
		{"io.LimitReader io.CopyN", false},
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
		text := strings.NewReplacer("{v}", "", "{v.name}", "", "{0}", "", "{1}", "", "{2}", "", "{3}", "").Replace(r.advice + r.release)
		if regexp.MustCompile(`\{[\w.]+\}|\b(OF|PKG)\b|%`).MatchString(text) || r.what == "" || r.advice == "" {
			t.Errorf("%s: %q", name, r.advice)
		}
		if !r.result && r.ends == "" {
			t.Errorf("%s: where its memory ends is missing", name)
		}
	}
}

// Of several Buffers that has grown which the line names.
func TestBuffers(t *testing.T) {
	dir := folder(t, map[string]string{
		"go.mod": "module example.com/m\n",
		"m.go":   "package m\n\nimport \"bytes\"\n\nfunc f(p []byte) {\n\tvar a bytes.Buffer\n\tb := new(bytes.Buffer)\n\ta.Write(p)\n\tb.Write(p)\n\tb.Write(a.Bytes())\n\tg(p)\n}\n",
	})
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{8: "bytes.Buffer a grows", 9: "bytes.Buffer b grows", 10: "one of the Buffers a and b grows", 11: "one of the Buffers a and b grows"} {
		stack := profiles.Stack{std("bytes.(*Buffer).grow"), {Func: "example.com/m.f", File: filepath.Join(dir, "m.go"), Line: line}}
		if s := tree.Explain(stack, 1); s == nil || s.What != want || s.Ends != Unknown && strings.HasPrefix(want, "one") {
			t.Errorf("line %d: %+v, want %s", line, s, want)
		}
	}
}
