package held

import "testing"

// Each test encodes one constant, once.
func test(t *testing.T, f func(string) []byte) {
	const text = "the same in all tests"
	if b := f(text); string(b) != text {
		t.Errorf("%q", b)
	}
}

func TestContained(t *testing.T) { test(t, contained) }
func TestSliced(t *testing.T)    { test(t, sliced) }
func TestRenamed(t *testing.T)   { test(t, renamed) }
func TestPeeked(t *testing.T)    { test(t, peeked) }
