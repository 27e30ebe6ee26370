package limit

import (
	"container/list"
	"context"
	"time"

	"github.com/octet-go/octet/internal/rt"
)

// A waiter is a request in line.
//
// Nobody outside of a bubble of testing/synctest may close a channel of it. A waiter in a
// bubble that is served from outside finds out when its ticker fires: at once, if all in
// the bubble wait.
type waiter struct {
	bytes   int64
	place   *list.Element
	granted bool          // guarded by the Limit's mu
	ready   chan struct{} // closed when granted, unless from outside of the bubble
	bubble  int64         // see rt.Bubble
}

// Wait adds n bytes, and waits in line for room until ctx ends. The error is that of ctx, or
// wraps ErrLimit if as many wait as may, or n is more than the limit: that would never fit
// beside anything else, so to wait for it would be to stop all others.
func (l *Limit) Wait(ctx context.Context, n int64) error {
	if err := ctx.Err(); err != nil || l.Admit(n) {
		return err
	}
	if n > l.limit {
		return l.refuse("", n, false, tooLarge)
	}
	w := l.join(n)
	if w == nil {
		return l.refuse("", n, false, lineFull)
	}
	return l.stand(ctx, w)
}

// join adds a waiter for n bytes to the line, or returns nil if as many wait as may.
func (l *Limit) join(n int64) *waiter {
	w := &waiter{bytes: n, ready: make(chan struct{}), bubble: rt.Bubble()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line.Len() >= l.most {
		return nil
	}
	w.place = l.line.PushBack(w)
	l.state.Or(1) // before the attempt: see Limit
	l.serve()
	return w
}

// serve admits the oldest as long as they fit. The caller holds mu.
func (l *Limit) serve() {
	for e := l.line.Front(); e != nil; e = l.line.Front() {
		w := e.Value.(*waiter)
		if !l.add(w.bytes, l.limit, 0) {
			return
		}
		l.leave(w)
		w.granted = true
		if w.bubble == 0 || w.bubble > 0 && w.bubble == rt.Bubble() {
			close(w.ready)
		}
	}
}

// leave takes w out of the line. The caller holds mu.
func (l *Limit) leave(w *waiter) {
	l.line.Remove(w.place)
	if l.line.Len() == 0 {
		l.state.And(^1)
	}
}

// stand waits until w is served, or ctx ends.
func (l *Limit) stand(ctx context.Context, w *waiter) error {
	began := time.Now()
	var tick <-chan time.Time
	if w.bubble != 0 {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		tick = t.C
	}
	for done := false; !done; {
		select {
		case <-w.ready:
			done = true
		case <-ctx.Done():
			done = true
		case <-tick:
			l.mu.Lock()
			done = w.granted
			l.mu.Unlock()
		}
	}
	l.waited.Add(int64(time.Since(began)))
	return l.finish(w, ctx.Err())
}

// finish ends the wait of w, which gives back what it was granted if err, the error of its
// context, is not nil.
func (l *Limit) finish(w *waiter, err error) error {
	l.mu.Lock()
	granted := w.granted
	if !granted {
		l.leave(w)
		l.serve() // those behind w, which may fit
	}
	l.mu.Unlock()
	if granted && err != nil {
		l.Give(w.bytes)
	}
	return err
}
