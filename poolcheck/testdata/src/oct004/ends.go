package oct004

import (
	"errors"
	"io"
	"sync"
)

type telegram struct{ text []byte }

var telegrams = sync.Pool{New: func() any { return new(telegram) }}

func (l *telegram) Free() {
	l.text = l.text[:0]
	telegrams.Put(l)
}

var errEmptyTelegram = errors.New("telegram is empty")

// stamp frees every telegram.
func stamp(l *telegram, w io.Writer) error {
	defer l.Free()
	if len(l.text) == 0 {
		return errEmptyTelegram
	}
	_, err := w.Write(l.text)
	return err
}

// ok: whatever stamp says, the telegram is free.
func stampQuietly(w io.Writer, text string) {
	l := telegrams.Get().(*telegram)
	l.text = append(l.text, text...)
	_ = stamp(l, w)
}

// A pile is a list of telegrams, one on the other.
type pile struct {
	top  []byte
	rest *pile
}

func pileUp(v *vault, n int) *pile {
	var top *pile
	for range n {
		top = &pile{top: v.allocate(64), rest: top}
	}
	return top
}

// ok: the telegrams go back from the top down.
func burn(v *vault) {
	for p := pileUp(v, 3); p != nil; p = p.rest {
		v.free(p.top)
	}
}

// ok: the loser goes back.
func shareOne(all *sync.Map, key string) *telegram {
	l := telegrams.Get().(*telegram)
	if old, loaded := all.LoadOrStore(key, l); loaded {
		l.Free()
		return old.(*telegram)
	}
	return l
}

// bad: an attempt that fails is lost, and try has only looked at it.
func attempt(try func(l *telegram) bool) bool {
	for range 3 {
		l := telegrams.Get().(*telegram) // want "OCT004: l is not released on every path"
		if try(l) {
			l.Free()
			return true
		}
	}
	return false
}

// ok: keep says whether it has taken the telegram.
func offer(keep func(l *telegram) bool) {
	l := telegrams.Get().(*telegram)
	if !keep(l) {
		l.Free()
	}
}
