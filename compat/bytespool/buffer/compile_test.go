package buffer_test

import (
	"math/bits"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// What the earlier package's programs inline they inline here, too.
func TestInlining(t *testing.T) {
	if bits.UintSize == 32 {
		return // 64-bit atomics are calls there, which are too expensive
	}
	testenv.Compile(t, "-m").WantInlined(t,
		"(*Buffer).Append", "(*Buffer).AppendByte", "(*Buffer).AppendString",
		"(*Buffer).Write", "(*Buffer).WriteByte", "(*Buffer).WriteString",
		"(*Buffer).Bytes", "(*Buffer).Cap", "(*Buffer).Len", "(*Buffer).String", "(*Buffer).UnsafeString",
		"(*Buffer).CopyTo", "(*Buffer).Reset", "(*Buffer).Put", "(*Buffer).RefInc",
	)
}
