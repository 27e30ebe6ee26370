package rt

import (
	"bytes"
	"runtime"
	"strconv"
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
	var stack [128]byte
	line, _, _ := bytes.Cut(stack[:runtime.Stack(stack[:], false)], []byte("\n"))
	_, line, _ = bytes.Cut(line, []byte("synctest bubble "))
	n, err := strconv.ParseInt(string(bytes.TrimRight(line, "]:")), 10, 64)
	if err != nil {
		return -1
	}
	return n
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
