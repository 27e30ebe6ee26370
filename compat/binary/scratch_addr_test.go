//go:build !octet_purego

package binary

import "testing"

// While a scratch is in use, its reference moves because the stack grows, and a copy
// comes to lie at the old address. Neither may get the scratch, because the first use
// goes on. Here home is the copy at the old address, and moved is the reference.
func TestScratchOwnerMovesAway(t *testing.T) {
	var home scratchRef
	s := home.acquire()
	moved := home
	if home.ready() || home.acquire() == s {
		t.Error("the newcomer has a scratch that is in use")
	}

	home = moved
	moved.release(s) // the use is over
	if moved.ready() || moved.acquire() == s {
		t.Error("the one that moved still has the scratch")
	}
	if home.ready() || home.acquire() == s {
		t.Error("the newcomer has a scratch that was never given back at home")
	}
}
