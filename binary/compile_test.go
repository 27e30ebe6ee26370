//go:build !octet_purego

package binary_test

import (
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// The methods for numbers cost as much as hand-written code because they are inlined.
// Some are only a few nodes below the inliner's budget.
func TestInlining(t *testing.T) {
	appends := "Bool Uint8 Int8 Uint16 Int16 Uint24 Uint32 Int32 Uint64 Int64 Float32 Float64 " +
		"Uvarint Varint Bytes String BytesVarint StringVarint Pad Begin8 Begin16 Begin24 Begin32 BeginVarint"
	reads := "Bool Uint8 Int8 Uint16 Int16 Uint32 Int32 Uint64 Int64 Float32 Float64 " +
		"Bytes String AppendBytes Copy Skip Peek Len Offset Field Err Mark"
	var want []string
	for _, order := range []string{"0", "1"} {
		for _, m := range strings.Fields(appends) {
			want = append(want, "Appender[go.shape.["+order+"]struct {}]."+m)
		}
		for _, m := range strings.Fields(reads) {
			want = append(want, "(*Decoder[go.shape.["+order+"]struct {}])."+m)
		}
	}
	want = append(want, "DecodeLE", "DecodeBE")

	c := testenv.Compile(t, "-m")
	c.WantInlined(t, want...)
}
