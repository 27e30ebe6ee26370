package rt

import (
	"runtime"
	"time"
)

// InBubble reports whether the caller is in a bubble of testing/synctest. There
// time.Now has no monotonic reading, which it has everywhere else.
func InBubble() bool {
	now := time.Now()
	return now == now.Round(0) // which takes the reading away
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
