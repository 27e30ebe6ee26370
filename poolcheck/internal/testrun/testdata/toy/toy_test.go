package toy

import "testing"

func TestUpper(t *testing.T) {
	if got := string(Upper("hello, world")); got != "HELLO, WORLD" {
		t.Errorf("got %q", got)
	}
}

func TestTwice(t *testing.T) { Twice(true) }

// TestStale writes to an object while the pool has it, which only late reuse shows: early,
// the second Get returns it.
func TestStale(t *testing.T) {
	c := conns.Get().(*conn)
	conns.Put(c)
	d := conns.Get().(*conn)
	c.closed = true
	d.closed = false
	conns.Put(d)
}

func TestLocked(t *testing.T) { Locked() }

func TestLine(t *testing.T) {
	for _, s := range []string{"first", "second", "third"} {
		if Line(s)[0] != s[0] {
			t.Fatal("another line")
		}
	}
}

func TestCarried(t *testing.T) { Carried() }
