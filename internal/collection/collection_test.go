package collection

import (
	"runtime"
	"testing"
	"time"
)

// The function is called once a collection for which somebody has armed, however often, and
// also for one that was armed while it ran.
func TestAfter(t *testing.T) {
	called := make(chan bool, 10)
	again := true
	After(func() {
		if again {
			again = false
			Arm()
		}
		called <- true
	})
	for range 5 {
		Arm()
	}
	for range 2 {
		runtime.GC()
		<-called
	}
	runtime.GC()
	runtime.GC()
	select {
	case <-called:
		t.Error("called although nobody has armed")
	case <-time.After(50 * time.Millisecond):
	}
	Arm()
	runtime.GC()
	<-called
}
