package limit

import (
	"errors"
	"strconv"
)

// ErrLimit is the error of requests for admission that the limit does not allow.
var ErrLimit = errors.New("bytespool: limit on memory in use")

const (
	noRoom   = "there is no room"
	inTurn   = "it is the turn of a request that has waited for long"
	lineFull = "there is no room, and as many wait as may"
	tooLarge = "it is more than the limit"
)

// A refusal says what a request asked for, and why it was refused.
type refusal struct {
	pool, shared string // names; "" for none
	asked, inUse int64
	limit        int64
	why          string
}

func (e *refusal) Unwrap() error { return ErrLimit }

func (e *refusal) Error() string {
	pool, of := "", ""
	if e.pool != "" {
		pool = "pool " + strconv.Quote(e.pool) + ": "
	}
	if e.shared != "" {
		of = " of limit " + strconv.Quote(e.shared)
	}
	return "bytespool: " + pool + strconv.FormatInt(e.asked, 10) + " bytes asked for, " +
		strconv.FormatInt(e.inUse, 10) + " of " + strconv.FormatInt(e.limit, 10) + of + " in use or reserved: " + e.why
}

// Refusal counts a request for n bytes that Admit refused, and describes it. It names the
// limit if pools share it.
func (l *Limit) Refusal(pool string, n int64, shared bool) error {
	why := noRoom
	if n > l.limit {
		why = tooLarge
	} else if l.closed() {
		why = inTurn
	}
	return l.refuse(pool, n, shared, why)
}

// refuse is not inlined, as it allocates.
//
//go:noinline
func (l *Limit) refuse(pool string, n int64, shared bool, why string) error {
	l.rejected.Add(1)
	e := &refusal{pool: pool, asked: n, inUse: l.used.Load(), limit: l.limit, why: why}
	if shared || pool == "" {
		e.shared = l.name
	}
	return e
}
