package oct004

import (
	"encoding/binary"
	"io"
	"sync"
)

var payloads = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

// An answer has its payload until it is sent.
type answer struct {
	op      int
	size    int
	status  int
	head    [8]byte
	payload *[]byte
	next    *answer
}

func (a *answer) done() {
	if a.payload != nil {
		payloads.Put(a.payload)
		a.payload = nil
	}
}

// bad: an operation that is not known has no payload any more.
func answerTo(w io.Writer, ops map[int]func(*answer), a *answer) {
	if a.size > 0 {
		a.payload = payloads.Get().(*[]byte) // want "OCT004: a.payload is not released on every path"
	}
	if op, ok := ops[a.op]; ok {
		op(a)
	} else {
		a.status = -38
		a.payload = nil
	}
	binary.BigEndian.PutUint32(a.head[:], uint32(a.status))
	w.Write(a.head[:])
	a.done()
}

// bad: all of it is overwritten.
func answerReset(w io.Writer, a *answer) {
	a.payload = payloads.Get().(*[]byte) // want "OCT004: a.payload is not released on every path"
	if _, err := w.Write(*a.payload); err != nil {
		*a = answer{}
		return
	}
	a.done()
}

// ok: taken out of the field and put back.
func answerTaken(w io.Writer, a *answer) {
	a.payload = payloads.Get().(*[]byte)
	w.Write(*a.payload)
	p := a.payload
	a.payload = nil
	payloads.Put(p)
}

// ok: somebody else has it by now.
func answerMoved(a *answer) {
	a.payload = payloads.Get().(*[]byte)
	a.next.payload = a.payload
	a.payload = nil
}

// ok: what code that is not known may have taken.
func answerGiven(a *answer, take func(*answer)) {
	a.payload = payloads.Get().(*[]byte)
	take(a)
	a.payload = nil
}

// ok: put back before.
func answerRight(w io.Writer, a *answer) {
	a.payload = payloads.Get().(*[]byte)
	w.Write(*a.payload)
	a.done()
	*a = answer{}
}
