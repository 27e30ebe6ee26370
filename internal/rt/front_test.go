package rt

import (
	"math/rand/v2"
	"testing"
)

// Nothing lies before a slice that was made or appended, and before one whose front was cut
// off, what was cut.
func TestFrontOf(t *testing.T) {
	if !FindsFronts {
		t.Skip("not in this build")
	}
	for range 2000 {
		n := rand.IntN(1 << rand.IntN(21))
		for what, b := range map[string][]byte{
			"made":     make([]byte, n),
			"appended": append([]byte(nil), make([]byte, n)...),
			"dirty":    DirtyBytes(n),
		} {
			if front := FrontOf(b); front != 0 {
				t.Fatalf("%s, %d bytes: %d before them", what, n, front)
			}
			if n < 16 {
				continue
			}
			cut := rand.IntN(n - 15)
			if front := FrontOf(b[cut:]); front != cut {
				t.Fatalf("%s, %d bytes: %d before them, %d were cut off", what, n, front, cut)
			}
		}
	}
	if front := FrontOf(static[100:]); front != 0 {
		t.Errorf("in a variable: %d", front)
	}
	if FrontOf(nil) != 0 {
		t.Error("of nothing")
	}
}

var static [1000]byte
