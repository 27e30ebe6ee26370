package source

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/ast/inspector"
)

// cleared are statements that make a slice, and what is to be cleared of b, a slice of a pool in its place.
var cleared = []struct{ code, part string }{
	{"b := make([]byte, n); copy(b, p)", "b"},
	{"b := make([]byte, n); if _, err := io.ReadFull(r, b); err != nil { return b }", "b"},
	{"return make([]byte, n)", "b"},
	{"global = make([]byte, len(p)); copy(global, p)", "b"},

	// Where there is room behind the slice, or its capacity is read, the room is cleared, too.
	{"b := make([]byte, len(p), n); copy(b, p)", "b[:cap(b)]"},
	{"b := make([]byte, n)[:0]; return b", "b[:cap(b)]"},
	{"b := make([]byte, n); other.Use(cap(b))", "b[:cap(b)]"},
	{"b := make([]byte, len(p)); copy(b, p); d := b; other.Use(d[:cap(d)])", "b[:cap(b)]"},
	{"b := make([]byte, len(p)); copy(b, p); toCapacity(b)", "b[:cap(b)]"},

	// Empty slices, which append makes longer.
	{"b := make([]byte, 0, 64); b = append(b, p...); b[0] = 1; w.Write(b[1:]); q = append(q, b...); copy(q, b); println(len(b), string(b))", ""},
	{"b := make([]byte, 0, 64); b = strconv.AppendInt(b, 1, 10); b = binary.BigEndian.AppendUint32(b, 7); w.Write(append(b[:0], 1))", ""},
	{"b := make([]byte, 0, 64); b = append(b, 1); return b", ""},
	{"b := make([]byte, 0, 64); return append(b, 1)", ""},
	{"b := make([]byte, 0, 64); sum(b)", ""},
	{"return make([]byte, 0, 64)", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); return b", "b[:cap(b)]"},
	{"b := make([]byte, 0); return b", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); b = append(b, 1); b = b[:0]; return b", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); b = append(b, 1); b = none(b); return b", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); c := append(b, 1); other.Use(c[0]); return b", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); b = append(b, 1); s.data = b", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); other.Use(append(b, 1))", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); return append(list, b)", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); b = append(b, 1)\n b = b[:n]; return b", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); b = append(b, 1)\n longer(b, n)", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64)\n b = enc.AppendEncode(b, p)", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); b = append(b, 1)\n syscall.Syscall(1, uintptr(unsafe.Pointer(&b[0])))", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64); b = append(b, 1); json.Unmarshal(p, &b)", "b[:cap(b)]"},
	{"b := make([]byte, 0, 64)\n r.Read(b[:cap(b)])", "b[:cap(b)]"},
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

func TestCleared(t *testing.T) {
	for _, tt := range cleared {
		tr, call := makes(t, tt.code)
		if got := tr.uncleared(call, "b"); got != tt.part {
			t.Errorf("%s\n%q, want %q", tt.code, got, tt.part)
		}
	}
}
