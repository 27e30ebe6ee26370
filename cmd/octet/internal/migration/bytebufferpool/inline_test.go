package bytebufferpool_test

import (
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/migration/bytebufferpool"
	"github.com/octet-go/octet/internal/testenv"
)

//go:noinline
func write(b *bytebufferpool.ByteBuffer) {
	b.Write([]byte("a"))
	b.WriteString("b")
	b.WriteByte('c')
}

// A package that does not import package buffer itself inlines what writes to a ByteBuffer.
func TestWritesAreInlined(t *testing.T) {
	write(bytebufferpool.Get())
	testenv.WantCallsOnly(t, `bytebufferpool_test\.write$`, 1, `runtime\..*|.*/buffer\.\(\*Buffer\)\.write(|String|Byte)Slow`)
}
