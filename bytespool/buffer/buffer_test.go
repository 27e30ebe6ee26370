package buffer

import (
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/engine"
)

func TestConstructors(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for _, tt := range []struct {
			name     string
			b        *Buffer
			content  string
			capacity int
		}{
			{"Get", Get(), "", 64},
			{"Make(0)", Make(0), "", 2},
			{"Make(-1)", Make(-1), "", 2},
			{"Make(100)", Make(100), "", 128},
			{"Make(3)", Make(3), "", 4},
			{"Make(4 MiB)", Make(4 << 20), "", 4 << 20},
			{"Make(4 MiB + 1)", Make(4<<20 + 1), "", 4<<20 + 1},
			{"NewBytes", newBytes([]byte("abc")), "abc", 4},
			{"NewString", newString("abcde"), "abcde", 8},
			{"NewString of nothing", newString(""), "", 2},
			{"NewBuffer", NewBuffer(append(make([]byte, 0, 33), "x"...)), "x", 33},
			{"NewBuffer of nothing", NewBuffer(nil), "", 0},
		} {
			b := tt.b
			if b.String() != tt.content || b.Len() != len(tt.content) || b.Cap() != tt.capacity || b.refs.Value() != 0 {
				t.Errorf("%s: %q, Len %d, Cap %d, RefValue %d; want %q, Cap %d",
					tt.name, b, b.Len(), b.Cap(), b.refs.Value(), tt.content, tt.capacity)
			}
		}
	})
}

func TestSizesThatAreTooLarge(t *testing.T) {
	p := usePool(t, engine.Config{})
	b := newString("abc")
	for name, f := range map[string]func(){
		"Grow":         func() { b.Grow(math.MaxInt) },
		"Grow to 2GiB": func() { b.Grow(math.MaxInt32 - 2) },
		"Grow -2":      func() { b.Grow(math.MaxInt - 2) },
	} {
		t.Run(name, func(t *testing.T) { mustPanic(t, ErrTooLarge, f) })
	}
	const truncate = "buffer: Truncate: the length is negative or larger than Len"
	mustPanic(t, "buffer: Grow: negative count", func() { b.Grow(-1) })
	mustPanic(t, truncate, func() { b.Truncate(-1) })
	mustPanic(t, truncate, func() { b.Truncate(4) })
	mustPanic(t, "buffer: Next: negative count", func() { b.Next(-1) })
	mustPanic(t, "buffer: Peek: negative count", func() { b.Peek(-1) })
	if b.String() != "abc" || b.Cap() != 4 {
		t.Errorf("the buffer changed: %q, Cap %d", b, b.Cap())
	}
	b.Release()
	if n := inUse(p); n != 0 {
		t.Errorf("%d arrays leaked", n)
	}
}

func TestGrownSize(t *testing.T) {
	p := new(engine.Pool)
	p.Init(engine.Config{MinSize: 2, MaxSize: 1 << 20})
	for _, tt := range []struct{ need, capacity, read, want int }{
		{65, 64, 0, 65},                         // the class doubles
		{40, 64, 10, 65},                        // moving within 64 bytes would come too often
		{30, 64, 40, 64},                        // half is free then
		{2 << 20, 5 << 20, 3 << 20, 5 << 20},    //
		{1 << 20, 1<<20 - 10, 0, 1 << 20},       // the largest class is large enough
		{1<<20 + 1, 1 << 20, 0, 5 << 18},        // a quarter more
		{2 << 20, 1 << 20, 0, 2 << 20},          // or as much as is needed
		{maxSize, maxSize - 1, 0, maxSize},      // but never too much
		{maxSize, maxSize, 1, maxSize},          //
		{maxSize - 9, maxSize - 10, 0, maxSize}, //
	} {
		if got := grownSize(tt.need, tt.capacity, tt.read, p); got != tt.want {
			t.Errorf("grownSize(%d, %d, %d) = %d, want %d", tt.need, tt.capacity, tt.read, got, tt.want)
		}
	}
}

func TestZeroValue(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		var b Buffer
		for range 3 {
			if b.Len() != 0 || b.Cap() != 0 || b.String() != "" || len(b.Bytes()) != 0 || b.Available() != 0 {
				t.Fatal("the zero Buffer is not empty")
			}
			if b.release() || b.refs.Value() != 0 {
				t.Error("a zero Buffer had an array to release")
			}
			b.Reset()
			b.Truncate(0)
			b.WriteString("abc")
			b.WriteByte('d')
			if b.String() != "abcd" {
				t.Errorf("got %q", &b)
			}
			if !b.release() {
				t.Error("the array of a declared Buffer was not released")
			}
		}
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays leaked", n)
		}
	})
}

func TestNil(t *testing.T) {
	var b *Buffer
	if b.String() != "" || b.LogValue().Group()[0].Value.Int64() != 0 {
		t.Error("String or LogValue of nil")
	}
	if b.release() {
		t.Error("nil was released")
	}
}

func TestLogValue(t *testing.T) {
	var log strings.Builder
	b := newString("secret")
	slog.New(slog.NewTextHandler(&log, nil)).Info("sent", "body", b)
	if s := log.String(); strings.Contains(s, "secret") || !strings.Contains(s, "body.len=6") {
		t.Errorf("log: %s", s)
	}
}
