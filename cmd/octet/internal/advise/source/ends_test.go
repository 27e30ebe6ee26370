package source

import (
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// endings are statements, or a declaration, of which line 1 allocates, or that with the comment "here"; where the memory ends;
// and what the advice must contain. Of a Buffer the next line makes it grow.
var endings = []struct {
	code string
	ends Ends
	says string
}{
	// It ends in the function, which gives it to others for the time of a call.
	{"b := make([]byte, n)\n _, err := io.ReadFull(r, b)", Here,
		"b := bytespool.New(n); clear(b) unless each byte is sure to be written before it is read; defer bytespool.Release(b)"},
	{"b := []byte(text); w.Write(b)", Here, "b := append(bytespool.Make(len(text)), text...); defer bytespool.Release(b)"},
	{"for range n { b := []byte(text)\n w.Write(b) }", Here, "bytespool.Release(b) after line 2, its last use"},
	{"b := append([]byte(nil), p...); h.Write(b[1:])", Here, "b := bytespool.Append([]byte(nil), p...)"},
	{"b := append([]byte(nil), text...); w.Write(b)", Here, "b := bytespool.Append([]byte(nil), []byte(text)...)"},
	{"b := []byte(next()); w.Write(b)", Here, "arg1 := next(); b := append(bytespool.Make(len(arg1)), arg1...); defer"},
	{"b := make([]byte, n); sum(b)", Here, "bytespool.New(n)"},
	{"b := make([]byte,\n n)\n sum(b)", Here, "bytespool.New(n)"},
	{"b := make([]byte, n); recursive(b, n)", Here, ""},
	{"b := make([]byte, n); sub.Sum(b); sub.Count(b); hold.Add(b)", Here, "bytespool.New(n)"},
	{"b := make([]byte, n); k, _ := split(b); other.Use(k)", Here, ""},
	{"b := make([]byte, n); first := b[0]; for i, c := range b { other.Use(i, c, first) }", Here, ""},
	{"b := make([]byte, 0, 64); b = binary.BigEndian.AppendUint32(b, 7); w.Write(b)", Here, "b := bytespool.Make(64); defer bytespool.Release(b)"},
	{"b := make([]byte, 64); b = b[8:]; sum(b)", Here, "keep the whole in another variable"},
	{"b, err := io.ReadAll(r); b[0] = 1; w.Write(b)", Here, "_, err := bb.ReadFrom(r); b := bb.Bytes(); defer bb.Release()"},
	{"b := bytes.Clone(p); sum(b)", Here, "b := append(bytespool.Make(len(p)), p...), or nil if p is"},

	// A variable that grows.
	{"b := make([]byte, 0, 64); for _, p := range parts { b = append(b, p...) }; w.Write(b)", Here, "bytespool.Make(64); bytespool.Append in place of append"},
	{"b := make([]byte, 0, 64)\n b = append(b, p...) /* here */", Here, "begin with b := bytespool.Make(size); bytespool.Append in place of append"},
	{"b := []byte(text)\n b = append(b, p...) /* here */\n w.Write(b)", Here, "begin with b := append(bytespool.Make(size), []byte(text)...); bytespool.Append"},
	{"var b = make([]byte, 4)\n b = append(b, p...) /* here */\n w.Write(b)", Here, "begin with b := append(bytespool.Make(size), make([]byte, 4)...); bytespool.Append"},
	{"var b []byte\n for _, p := range parts { b = append(b, p...) /* here */ }\n return b", Elsewhere,
		"let b begin as nil, which it may have to be; bytespool.Append in place of append"},
	{"return append(p, make([]byte, 64)...)", Unknown, "give p its room beforehand"},
	{"p = append(p, text...); w.Write(p)", Unknown, "give p its room beforehand"},
	{"var b = c.buf[:0]\n b = append(b, p...) /* here */", Unknown, "gets other memory at line 1"},

	// A Buffer.
	{"var buf bytes.Buffer\n err := json.NewEncoder(&buf).Encode(v); w.Write(buf.Bytes())", Here, "buf := buffer.Get(); defer buf.Release()"},
	{"buf := bytes.NewBuffer(make([]byte, 0, 512))\n json.NewEncoder(buf).Encode(v); w.Write(buf.Bytes())", Here, "buf := buffer.Get()"},
	{"buf := new(bytes.Buffer)\n json.NewEncoder(buf).Encode(v); return buf.Bytes()", Elsewhere, "returned"},
	{"if n > 4 { return &bytes.Buffer{} }\n buf := new(bytes.Buffer) /* here */\n buf.Write(p); return buf", Elsewhere, "returned"},

	// Others get it.
	{"b := make([]byte, n); return b[:n/2]", Elsewhere, "returned"},
	{"return []byte(next())", Elsewhere, "arg1 := next(); b := append"},
	{"func f(n int) (b []byte, err error) { b = make([]byte, n)\n return }", Elsewhere, "returned"},
	{"func f(n int) []byte { b := make([]byte, 0, n); return strconv.AppendQuoteRune(b, 'x') }", Elsewhere, "it is returned"},
	{"b := append([]byte(nil), p...); return json.RawMessage(b)", Elsewhere, "returned"},
	{"var pool = sync.Pool{New: func() any {\n return make([]byte, 64) /* here */ }}", Elsewhere, "returned"},
	{"b, err := io.ReadAll(r); if err != nil { return nil }; return b", Elsewhere,
		"_, err := bb.ReadFrom(r); b := bb.Detach(); bb.Release(); it is returned: bytespool.Release of the slice"},
	{"b := make([]byte, 64); c.buf = b", Elsewhere, "stored in c.buf"},
	{"global = make([]byte, 64)", Elsewhere, "stored in global"},
	{"b := make([]byte, 64); *dst = b", Elsewhere, "stored in *dst"},
	{"c.buf, err = io.ReadAll(r)", Elsewhere, ""},
	{"return &conn{buf: make([]byte, 64)}", Elsewhere, "field buf"},
	{"return [][]byte{append([]byte(nil), text...)}", Elsewhere, "stored in [][]byte"},
	{"b := make([]byte, 64); c.list = append(c.list, b)", Elsewhere, "appended to a list"},
	{"ch <- make([]byte, 64)", Elsewhere, "sent on a channel"},
	{"b := make([]byte, 64); go sum(b)", Elsewhere, "given to a goroutine"},
	{"b := make([]byte, 64); c.keep(b)", Elsewhere, "given to keep, where it is stored in c.buf"},
	{"b := make(packet, 64); b.keep(c)", Elsewhere, "given to keep, where it is stored in c.buf"},
	{"b := make([]byte, 64); sub.Keep(b)", Elsewhere, "where it is stored in Kept"},
	{"b := make([]byte, 64); both.Hold(b)", Elsewhere, "given to Hold, where it is stored in h.p"},
	{"b := make([]byte, 64); _, rest := split(b); c.buf = rest", Elsewhere, "stored in c.buf"},
	{"b := make([]byte, 64); _, rest := splitNamed(b); c.buf = rest", Elsewhere, "stored in c.buf"},
	{"b := make([]byte, 64); _, rest := splitPassed(b); c.buf = rest", Elsewhere, "stored in c.buf"},
	{"b := make([]byte, 64); c.body = ioutil.NopCloser(bytes.NewReader(b))", Elsewhere, "stored in c.body"},

	// Who has it is not known.
	{"b := make([]byte, 64); c.hook(b)", Unknown, "c.hook"},
	{"b := make([]byte, 64); other.Use(b)", Unknown, "other.Use"},
	{"b := make([]byte, 64); enc.Encode(b, p)", Unknown, "given to enc.Encode"},
	{"b := make([]byte, 64); go func() { w.Write(b) }()", Unknown, "kept by a closure"},
	{"b := make([]byte, 64); takesRest(split(b))", Unknown, "not followed"},
	{"b := make([]byte, 64); for _, field := range bytes.Fields(b) { c.list = append(c.list, field) }", Unknown, "given to bytes.Fields"},
	{"b := make([]byte, 64); json.Unmarshal(p, &b)", Unknown, "the address of a variable"},
	{"b := make([]byte, 64); return (*uint32)(unsafe.Pointer(&b[0]))", Unknown, "given to unsafe.Pointer"},

	// The variable may have other memory, which must not be released in its place.
	{"b := make([]byte, 64); if ok { b = p }; sum(b)", Here, "defer bytespool.Release(b)"},
	{"b := make([]byte, 64); b, _ = br.Peek(8); w.Write(b)", Here, "defer bytespool.Release(b)"},
	{"if p == nil { p = []byte(text) }; w.Write(append(p, 1))", Here, "defer bytespool.Release(p)"},
	{"if cap(p) < n { p = make([]byte, n) }; io.ReadFull(r, p[:n])", Here, "clear(p[:cap(p)]) unless each byte is sure to be written before it is read; defer bytespool.Release(p)"},
	{"var b []byte\n for range n { if cap(b) < n { b = make([]byte, n) /* here */ }\n sum(b[:n])\n}", Here,
		"clear(b[:cap(b)]) unless each byte is sure to be written before it is read; bytespool.Release(b) after line 4, behind the loop"},
	{"b := make([]byte, 64)\n if ok { b = p }; return b", Unknown, "gets other memory at line 2"},
	{"b := make([]byte, 64)\n if ok { b = p }; c.buf = b", Unknown, "gets other memory at line 2"},
	{"for range n { b := make([]byte, 64)\n if ok { b = p }; w.Write(b) }", Unknown, "gets other memory at line 2"},
	{"b := make([]byte, 64)\n b = either(b, p); return b", Unknown, "gets other memory at line 2"},
	{"if ok { return c.buf }; b := make([]byte, n); return b", Unknown, "other memory"},
}

const (
	head = `package m; import ("bytes"; "encoding/base64"; "encoding/binary"; "encoding/json"; "io"; "io/ioutil"; "net/url"; "strconv"; ` +
		`"sync"; "syscall"; "unsafe"; "example.com/m/sub"; "example.com/other"); `
	signature = `func f(w io.Writer, r io.Reader, p, q []byte, parts [][]byte, text string, n int, ok bool, c *conn, hold *sub.Holder, both *sub.Both) (out []byte) { `
	declared  = `
type conn struct {
	buf  []byte
	list [][]byte
	hook func([]byte)
	body io.ReadCloser
}

func (c *conn) keep(p []byte) { c.buf = p }

type packet []byte

func (p packet) keep(c *conn) { c.buf = p }

func (p packet) fill() {}

var global []byte

func sum(p []byte) (n int) {
	for _, c := range p {
		n += int(c)
	}
	return n
}

func recursive(p []byte, n int) { recursive(p, n-1) }

func split(b []byte) (n int, rest []byte) { return len(b), b[1:] }

func splitNamed(b []byte) (n int, rest []byte) {
	n, rest = split(b)
	return
}

func splitPassed(b []byte) (int, []byte) { return split(b) }

func takesRest(n int, rest []byte) { global = rest }

func either(b, p []byte) []byte {
	if len(p) > len(b) {
		b = p
	}
	return b
}

func toCapacity(b []byte) { println(b[:cap(b)]) }

func none(b []byte) []byte { return b[:0] }

func longer(b []byte, n int) { println(b[:n]) }
`
	subpackage = `package sub

var Kept []byte

func Sum(p []byte) (n int) { return len(p) }

func Keep(p []byte) { Kept = p }

func Count[T any](p []T) int { return len(p) }

type Holder struct {
	p []byte
	n int
}

func (h *Holder) Add(p []byte) { h.n += Sum(p) }

func (h *Holder) Hold(p []byte) { h.p = p }

type Both struct{ Holder }
`
)

// called are functions that the statements call, and their names in profiles.
var called = map[string]string{
	"bytes.Clone(": "bytes.Clone",
	"io.ReadAll(":  "io.ReadAll",
}

// having returns a module that has the statements in a function, the first at line 1, or the declaration.
func having(t *testing.T, code string) *Tree {
	t.Helper()
	src := head + signature + code + "\n}\n" + declared
	if strings.HasPrefix(code, "func ") || strings.HasPrefix(code, "var pool") {
		src = head + code + "\n" + declared
	}
	return newTree(t, map[string]string{"m.go": src, "sub/sub.go": subpackage, "m_test.go": "package m_test"})
}

func TestEnds(t *testing.T) {
	for _, tt := range endings {
		line := 1
		if before, _, ok := strings.Cut(tt.code, "/* here */"); ok {
			line += strings.Count(before, "\n")
		}
		tree := having(t, tt.code)
		stack := profiles.Stack{frame(tree, "m.go", line)}
		if at := strings.Split(tt.code, "\n")[line-1]; strings.Contains(at, "bytes.Buffer") || strings.Contains(at, "bytes.NewBuffer") {
			stack = profiles.Stack{std("bytes.growSlice"), std("bytes.(*Buffer).Write"), std("encoding/json.(*Encoder).Encode"), frame(tree, "m.go", line+1)}
		}
		for short, name := range called {
			if strings.Contains(tt.code, short) {
				stack = profiles.Stack{std(name), stack[0]}
			}
		}
		s := tree.Explain(stack, len(stack)-1)
		switch {
		case s == nil:
			t.Errorf("%s\nno site", tt.code)
		case s.File != "m.go" || s.Line != line:
			t.Errorf("%s\nis said to be at %s:%d", tt.code, s.File, s.Line)
		case s.Ends != tt.ends || !strings.Contains(s.Advice, tt.says):
			t.Errorf("%s\n%s: %s\nwant %s: %s", tt.code, s.Ends, s.Advice, tt.ends, tt.says)
		case len(stack) > 1 && s.Edit != nil && s.Edit.Why == "" && s.Edit.Import != Buffer:
			t.Errorf("%s\nwhat is called has an edit: %+v", tt.code, s.Edit)
		case s.Ends == Unknown && strings.Contains(s.Advice, "Release"): // what is not known to end must not be said to be released
			t.Errorf("%s\nof memory whose end is unknown: %s", tt.code, s.Advice)
		}
	}
}
