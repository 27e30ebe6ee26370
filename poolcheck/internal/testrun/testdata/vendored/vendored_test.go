// Package vendored uses a vendored package that misuses its pool.
package vendored

import (
	"testing"

	"example.com/dep"
)

func TestQuote(t *testing.T) {
	if got := dep.Quote("word"); string(got) != `"word"` {
		t.Errorf("got %x", got)
	}
}
