//go:build octet_purego

package bytebuf

import "slices"

// The portable twin of lend.go. String copies, so arrays have no marks and may always
// be written.

type loan struct{}

type mark struct{}

type start struct{ array [startSize]byte }

func (s *start) loan() loan { return loan{} }

func noLoan() loan { return loan{} }

func (b *Buffer) keep() {}

func (b *Buffer) move(n int) {
	defer func() {
		if recover() != nil {
			panic(ErrTooLarge)
		}
	}()
	array := append([]byte(nil), make([]byte, max(n, startSize))...) // as large as its size class
	copy(array, b.buf[b.off:])
	b.buf = array
}

func (b *Buffer) shown() int { return 0 }

// String returns the unread bytes as a string. For a nil *Buffer it returns "<nil>".
func (b *Buffer) String() string {
	if b == nil {
		return "<nil>"
	}
	return string(b.buf[b.off:])
}

func (b *Buffer) exposed() []byte { return b.buf }

func (b *Buffer) settle() {}

func (b *Buffer) hold() *mark { return nil }

func (m *mark) release() {}

func readOnly(s string) []byte { return slices.Clip([]byte(s)) }
