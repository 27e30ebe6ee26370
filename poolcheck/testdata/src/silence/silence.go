// Package silence shows the comment that silences one line: it names the code
// and gives the reason.
package silence

import (
	"io"

	"github.com/octet-go/octet/bytespool"
)

// ok: silenced at the end of the line.
func endOfLine(r io.Reader) int {
	b := bytespool.New(64) //poolcheck:ignore OCT004 warms the pool's memory, the collector may have it
	n, _ := r.Read(b)
	return n
}

// ok: silenced on the line above.
func lineAbove(r io.Reader) int {
	//poolcheck:ignore OCT004 warms the pool's memory, the collector may have it
	b := bytespool.New(64)
	n, _ := r.Read(b)
	return n
}

// ok: two codes on one line.
func twoCodes(w io.Writer) {
	b := append(bytespool.Make(len("x")), "x"...)
	bytespool.Release(b)
	w.Write(b) //poolcheck:ignore OCT001,OCT002 the test wants to see the poison
}

// bad: the comment silences its own line alone.
func nextFunction(r io.Reader) int {
	b := bytespool.New(64) // want "OCT004: .*b.*"
	n, _ := r.Read(b)      //poolcheck:ignore OCT004 on the wrong line
	return n
}

// bad: the comment names another code.
func otherCode(r io.Reader) int {
	/* want "OCT004: .*b.*" */ b := bytespool.New(64) //poolcheck:ignore OCT001 another class
	n, _ := r.Read(b)
	return n
}

// bad: without a reason the comment silences nothing, and is reported itself.
func noReason(r io.Reader) int {
	/* want "OCT004: .*b.*" "reason" */ b := bytespool.New(64) //poolcheck:ignore OCT004
	n, _ := r.Read(b)
	return n
}

// bad: without a code, too.
func noCode(r io.Reader) int {
	/* want "OCT004: .*b.*" "code" */ b := bytespool.New(64) //poolcheck:ignore
	n, _ := r.Read(b)
	return n
}

// bad: a slip in the word, and a name that is no parameter.
/* want "poolcheck:own is unknown" */ //poolcheck:own b
/* want "poolcheck:borrows names c" */ //poolcheck:borrows c
func misnamed(b []byte)                {}
