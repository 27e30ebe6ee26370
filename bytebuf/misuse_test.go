package bytebuf_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytebuf"
)

type counts int

func (n counts) Read([]byte) (int, error)  { return int(n), nil }
func (n counts) Write([]byte) (int, error) { return int(n), nil }

// What panics or fails names this package and what was wrong, not package bytes, and
// not an expression inside.
func TestMessages(t *testing.T) {
	read := func(b *bytebuf.Buffer, r io.Reader) { b.ReadFrom(r) }
	for want, f := range map[string]func(b *bytebuf.Buffer){
		"Truncate: length":  func(b *bytebuf.Buffer) { b.Truncate(5) },
		"Truncate: length ": func(b *bytebuf.Buffer) { b.Truncate(-1) },
		"Grow: negative":    func(b *bytebuf.Buffer) { b.Grow(-1) },
		"Next: negative":    func(b *bytebuf.Buffer) { b.Next(-1) },
		"Peek: negative":    func(b *bytebuf.Buffer) { b.Peek(-1) },
		"ReadFrom: ":        func(b *bytebuf.Buffer) { read(b, counts(-1)) },
		"ReadFrom: the ":    func(b *bytebuf.Buffer) { read(b, counts(1<<30)) },
		"WriteTo: ":         func(b *bytebuf.Buffer) { b.WriteTo(counts(-1)) },
		"WriteTo: the ":     func(b *bytebuf.Buffer) { b.WriteTo(counts(5)) },
		"UnreadByte: ":      func(b *bytebuf.Buffer) { panic(b.UnreadByte()) },
		"UnreadRune: ":      func(b *bytebuf.Buffer) { panic(b.UnreadRune()) },
	} {
		func() {
			b := bytebuf.NewBufferString("text")
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "bytebuf: "+want) || b.String() != "text" {
					t.Errorf("%q, content %q; want bytebuf: %s", got, b, want)
				}
			}()
			f(b)
		}()
	}
}
