package binary

import "testing"

func TestScratchIsBlocked(t *testing.T) {
	var r scratchRef
	r.block() // has no effect before there is a scratch
	s := r.acquire()
	r.release(s)
	r.block()
	r.block()
	if r.ready() {
		t.Error("ready although blocked")
	}
	if clone := r; clone.ready() || clone.acquire() == s {
		t.Error("a copy of a blocked reference has its scratch")
	}
	if r.acquire() != s {
		t.Error("acquire after block returned another scratch")
	}
	r.release(s)
	if !r.ready() {
		t.Error("not ready after acquire and release")
	}
}

func TestScratchRoom(t *testing.T) {
	var s scratch
	for _, n := range []int{0, 1, 100, 1000, keep, keep + 1, 2 * keep, 5} {
		if b := s.room(n); len(b) != n {
			t.Errorf("room(%d) has %d bytes", n, len(b))
		}
		if cap(s.long) > keep {
			t.Errorf("after room(%d) the scratch holds on to %d bytes", n, cap(s.long))
		}
	}
	if n := testing.AllocsPerRun(10, func() { s.room(keep) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
