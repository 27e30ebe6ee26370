package check

import (
	"bytes"
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// acquireAndRelease says whether a slice has the pattern when it is acquired, whether it is clear then, and whether it has
// the pattern when it was released; and the numbers of both places.
func acquireAndRelease() (dirty, clear, filled bool, acquired, released uint16) {
	b := New(1024, stubOwner{})
	dirty, clear = intact(b), bytes.Equal(b, make([]byte, len(b)))
	b[0] = 1
	s, r := find(rt.Address(b), load())
	s.Unlock()
	Release(b, stubOwner{})
	return dirty, clear, intact(b), r.acquired.placeNumber(), r.released.placeNumber()
}

// TestFill sees that a range of numbers selects the places in it, for both ends of a slice's use.
func TestFill(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("it reads what was released")
	}
	set := func(f Fill) {
		t.Helper()
		if _, err := Set(Config{Mode: Full, Fill: f}); err != nil {
			t.Fatal(err)
		}
	}
	before := Settings()
	defer Set(before)
	set(Fill{})
	_, _, filled, acquired, released := acquireAndRelease() // new memory has any old bytes
	if !filled || acquired == released {
		t.Errorf("without a range: acquired at %04x, %t when released at %04x", acquired, filled, released)
	}
	fillSaid.Store(true)
	defer fillSaid.Store(false)
	for _, c := range []struct {
		Fill
		dirty, filled bool
	}{
		{Fill{true, 0, 0xffff}, true, true},
		{Fill{true, 1, 0}, false, false},
		{Fill{true, acquired, acquired}, true, false},
		{Fill{true, released, released}, false, true},
	} {
		set(c.Fill)
		dirty, clear, filled, _, _ := acquireAndRelease()
		if dirty != c.dirty || clear == c.dirty || filled != c.filled {
			t.Errorf("%+v: when acquired %t, clear %t; when released %t", c.Fill, dirty, clear, filled)
		}
	}
}
