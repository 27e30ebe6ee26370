package rt

import (
	"runtime"
	"strconv"
	"strings"
	"time"
)

// InBubble reports whether the caller is in a bubble of testing/synctest. There
// time.Now has no monotonic reading, which it has everywhere else.
func InBubble() bool {
	now := time.Now()
	return now == now.Round(0) // which takes the reading away
}

// Bubble returns the number of the caller's bubble, 0 if it is in none, or -1 if the number
// is not known. The first line of a goroutine's stack has it, in the tested Go releases.
// It takes a microsecond or two in a bubble, and as long as time.Now elsewhere.
func Bubble() int64 {
	if !InBubble() {
		return 0
	}
	return numberAfter("synctest bubble ", "]:\n", -1)
}

// Goroutine returns the number of the caller's goroutine, which no other has had, or 0 if
// it is not known. It takes some microseconds.
func Goroutine() int64 { return numberAfter("goroutine ", " ", 0) }

// numberAfter returns the number between two texts in the first line of the caller's
// stack, or unknown.
func numberAfter(before, after string, unknown int64) int64 {
	var stack [128]byte
	_, text, _ := strings.Cut(string(stack[:runtime.Stack(stack[:], false)]), before)
	text, _, _ = strings.Cut(text, after)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return unknown
}

// Go runs f in a goroutine of its own that is in no bubble of testing/synctest, also if
// the caller is in one: a bubble does not end before its goroutines do. Then f runs
// after a collection, as what the runtime calls for a finalizer is in no bubble.
func Go(f func()) {
	if !InBubble() {
		go f()
		return
	}
	runtime.SetFinalizer(&box{f}, func(b *box) { go b.f() })
	runtime.GC()
}

type box struct{ f func() }
