//go:build !octet_purego

package binary

import "testing"

// While a scratch is in use, its reference moves with the stack that it lies on,
// and a copy comes to lie where it was. (Here the one at home is what came, and
// the other is what went.) Neither may get the scratch then: the first use goes on.
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
