package source

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/ast/inspector"
)

// fillings are statements that make a slice b, and why one of a pool in its place is to be cleared, or "" if it need not be.
// The first statement is at line 1.
var fillings = []struct{ code, why string }{
	// A copy of another slice.
	{"b := make([]byte, len(p)); copy(b, p)", ""},
	{"b := make([]byte, len(c.buf)); copy(b[:], c.buf)", ""},
	{"switch n { case 1: b := make([]byte, len(p)); copy(b, p) }", ""},
	{"b := make([]byte, n)\n copy(b, p)", "line 2 may read or hand on"},
	{"b := make([]byte, len(p))\n copy(b, q)", "line 2 may read"},
	{"b := make([]byte, len(p))\n p = p[1:]\n copy(b, p)", "line 3 may read"},
	{"b := make([]byte, 1+len(p))\n copy(b[1:], p)", "line 2 may read"},
	{"b := make([]byte, len(b))\n copy(b, b)", "line 2 may read"},
	{"b := make([]byte, len(f()))\n copy(b, f())", "line 2 may read"},
	{"b := make([]byte, len(p))\n if ok { copy(b, p) }", "line 2 may read"},
	{"b := make([]byte, n)\n copy(p, b)", "line 2 may read"},
	{"len := func(p []byte) int { return n }\n b := make([]byte, len(p))\n copy(b, p)", "line 3 may read"},
	{"copy := func(b, p []byte) {}\n b := make([]byte, len(p))\n copy(b, p)", "line 3 may read"},
	{"b := make([]byte, n)\n copy(b)", "line 2 may read"},
	{"b := make([]byte, len(lost))\n copy(b, missing)", "line 2 may read"},

	// A read of as many bytes, or none.
	{"b := make([]byte, n); if _, err := io.ReadFull(r, b); err != nil { return }", ""},
	{"b := make([]byte, n); if n > 9 { return }; _, err := io.ReadFull(r, b); if err != nil { return }", ""},
	{"b := make([]byte, n)\n if _, err := io.ReadAtLeast(r, b, 1); err != nil { return }", "line 2 may read"},
	{"b := make([]byte, n)\n io.ReadFull(r, b)", "line 2 may read"},
	{"b := make([]byte, n)\n _, err := io.ReadFull(r, b); return b, err", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(r, b); err != nil { other.Use() }; return b", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(r, b); err != nil {}; return b", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(r, b); err != nil { return b }", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(r, b); err != nil && ok { return }", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(r, b); err == nil { return }", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(r, b); err != io.EOF { return }", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(r, b); ok { return }", "line 2 may read"},
	{"b := make([]byte, n)\n _, err := io.ReadFull(r, b); if other != nil { return err }", "line 2 may read"},
	{"b := make([]byte, n)\n _, err := io.ReadFull(r, b); if err = f(); err != nil { return }", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(r, b[1:]); err != nil { return }", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(bytes.NewReader(b), b); err != nil { return }", "line 2 may read"},
	{"nil := io.EOF\n b := make([]byte, n)\n if _, err := io.ReadFull(r, b); err != nil { return }", "line 3 may read"},
	{"b := make([]byte, n)\n if err := io.ReadFull(r, b); err != nil { return }", "line 2 may read"},
	{"b := make([]byte, n)\n if _, err := io.ReadFull(b); err != nil { return }", "line 2 may read"},
	{"var b []byte; for { b = make([]byte, n)\n if _, err := io.ReadFull(r, b); err != nil { break } }", "line 2 may read"},
	{"var b []byte; for { b = make([]byte, n)\n if _, err := io.ReadFull(r, b); err != nil { if ok { break }; return } }", "line 2 may read"},

	// All else.
	{"b := make([]byte, n)\n for i := range b { b[i] = 1 }", "line 2 may read"},
	{"b := make([]byte, 8)\n binary.BigEndian.PutUint64(b, v)", "line 2 may read"},
	{"b := make(packet, n)\n b.fill()", "line 2 may read"},
	{"b := make([]byte, n)\n if c, n := b, 1; c != nil { println(n); return }", "line 2 may read"},
	{"b := make([]byte, len(p))\n v := url.Values{string(b): nil}; copy(b, p)", "line 2 may read"}, // of a type that is not known
	{"b := make([]byte, len(p))\n defer func() { other.Use(b) }(); copy(b, p)", "line 2 may read"},
	{"var b []byte; for { b = make([]byte, len(p))\n if ok { break }; copy(b, p) }", "line 2 may leave"},
	{"var b []byte; if ok { b = make([]byte, n) }; return b", "it is not written for certain"},
	{"if b := make([]byte, len(p)); ok { copy(b, p) }", "the head of a statement"},
	{"var b []byte; again: b = make([]byte, len(p)); copy(b, p); goto again", "the head of a statement"},
	{"return make([]byte, n)", "it is used where it is made"},
	{"b := make([]byte, n)[:n]", "it is used where it is made"},
	{"s.data = make([]byte, len(p)); copy(s.data, p)", "it is used where it is made"},
	{"_ = make([]byte, len(p)); copy(s.data, p)", "it is used where it is made"},
	{"b, c := make([]byte, len(p)), 1; copy(b, p)", "it is used where it is made"},
	{"var b = make([]byte, len(p)); copy(b, p)", "it is used where it is made"},
	{"global = make([]byte, len(p)); copy(global, p)", "global is a variable that others see"},
	{"out = make([]byte, n); if _, err := io.ReadFull(r, out); err != nil { return }", "out is a variable that others see"},
	{"b := make([]byte, len(p), n); copy(b, p)", "it has room behind its end"},
	{"b := make([]byte, len(p)); copy(b, p)\n other.Use(b[:cap(b)])", "line 2 reads its capacity"},
	{"b := make([]byte, len(p)); copy(b, p); d := b\n other.Use(d[:cap(d)])", "line 2 reads its capacity"},
	{"b := make([]byte, len(p)); copy(b, p)\n toCapacity(b)", "line 2 reads its capacity"},

	// Empty slices, which append makes longer.
	{"b := make([]byte, 0, 64); b = append(b, p...); b[0] = 1; w.Write(b[1:]); q = append(q, b...); copy(q, b); println(len(b), string(b))", ""},
	{"b := make([]byte, 0, 64); b = strconv.AppendInt(b, 1, 10); b = binary.BigEndian.AppendUint32(b, 7); w.Write(append(b[:0], 1))", ""},
	{"b := make([]byte, 0, 64); b = append(b, 1); return b", ""},
	{"b := make([]byte, 0, 64); return append(b, 1)", ""},
	{"b := make([]byte, 0, 64); sum(b)", ""},
	{"return make([]byte, 0, 64)", "others may show bytes behind its end"},
	{"b := make([]byte, 0, 64); return b", "others may show"},
	{"b := make([]byte, 0); return b", "others may show"},
	{"b := make([]byte, 0, 64); b = append(b, 1); b = b[:0]; return b", "others may show"},
	{"b := make([]byte, 0, 64); b = append(b, 1); b = none(b); return b", "others may show"},
	{"b := make([]byte, 0, 64); c := append(b, 1); other.Use(c[0]); return b", "others may show"},
	{"b := make([]byte, 0, 64); b = append(b, 1); s.data = b", "others may show"},
	{"b := make([]byte, 0, 64); other.Use(append(b, 1))", "others may show"},
	{"b := make([]byte, 0, 64); return append(list, b)", "others may show"},
	{"b := make([]byte, 0, 64); b = append(b, 1)\n b = b[:n]; return b", "line 2 may show bytes behind its end"},
	{"b := make([]byte, 0, 64); b = append(b, 1)\n longer(b, n)", "line 2 may show"},
	{"b := make([]byte, 0, 64)\n b = enc.AppendEncode(b, p)", "line 2 may show"},
	{"b := make([]byte, 0, 64); b = append(b, 1)\n syscall.Syscall(1, uintptr(unsafe.Pointer(&b[0])))", "line 2 may show"},
	{"b := make([]byte, 0, 64); b = append(b, 1); json.Unmarshal(p, &b)", "others may show"},
	{"b := make([]byte, 0, 64)\n r.Read(b[:cap(b)])", "line 2 reads its capacity"},
}

// makes returns the function of a module that has the statements, and its call of make.
func makes(t *testing.T, code string) (*tracer, inspector.Cursor) {
	t.Helper()
	tree := having(t, code)
	before, _, _ := strings.Cut(code, "make(")
	line := 1 + strings.Count(before, "\n")
	fn, _, _ := tree.function(frame(tree, "m.go", line))
	call, r := fn.allocation(line)
	if !call.Valid() || !r.cleared {
		t.Fatalf("no call of make in %s", code)
	}
	tr := tree.trace(fn)
	tr.origin = call.Node()
	tr.follow(call)
	return tr, call
}

func TestWritten(t *testing.T) {
	for _, tt := range fillings {
		tr, call := makes(t, tt.code)
		if _, got := tr.unwritten(call, "b"); !strings.Contains(got, tt.why) || (got == "") != (tt.why == "") {
			t.Errorf("%s\n%q, want %q", tt.code, got, tt.why)
		}
	}
}

// Where there is room behind the slice, or its capacity is read, the room is cleared, too.
func TestRoom(t *testing.T) {
	for _, tt := range [][2]string{
		{"b := make([]byte, n); copy(b, p)", "b"},
		{"b := make([]byte, len(p), n); copy(b, p)", "b[:cap(b)]"},
		{"b := make([]byte, 0, n); return b", "b[:cap(b)]"},
		{"b := make([]byte, n)[:0]; return b", "b[:cap(b)]"},
		{"b := make([]byte, n); other.Use(cap(b))", "b[:cap(b)]"},
	} {
		tr, call := makes(t, tt[0])
		if got, why := tr.unwritten(call, "b"); got != tt[1] {
			t.Errorf("%s: %q for %s, want %q", tt[0], got, why, tt[1])
		}
	}
}
