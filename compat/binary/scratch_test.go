package binary

import "testing"

// The owner of a scratch reuses it.
func TestScratchIsReused(t *testing.T) {
	var r scratchRef
	if r.ready() {
		t.Fatal("ready before there is a scratch")
	}
	first := r.acquire()
	if r.ready() {
		t.Error("ready while the scratch is busy")
	}
	r.release(first)
	if !r.ready() {
		t.Error("not ready after release")
	}
	if s := r.take(); s != first {
		t.Error("take returned another scratch")
	}
	if s := r.acquire(); s == first {
		t.Error("a busy scratch was acquired once more")
	} else {
		r.release(s)
	}
	r.release(first)
}

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

// A copy never gets the original's scratch, nor the memory behind it.
func TestScratchIsNotCopied(t *testing.T) {
	var r scratchRef
	s := r.acquire()
	long := s.room(100)
	r.release(s)
	clone := r
	if clone.ready() {
		t.Error("a copy is ready")
	}
	c := clone.acquire()
	if c == s || &c.room(100)[0] == &long[0] {
		t.Error("a copy has the original's scratch")
	}
	if !r.ready() || r.take() != s {
		t.Error("the original has lost its scratch to a copy")
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
