package rt

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestGo sees that a goroutine is in no bubble, whoever starts it, and may outlive
// the bubble that its starter is in.
func TestGo(t *testing.T) {
	if InBubble() {
		t.Error("a test is in a bubble")
	}
	bubbles := make(chan bool, 2)
	begin, end := make(chan bool), make(chan bool)
	f := func() {
		<-begin
		time.Sleep(time.Millisecond)
		bubbles <- InBubble()
		end <- true
	}
	synctest.Test(t, func(*testing.T) {
		if !InBubble() {
			t.Error("a bubble is not recognised")
		}
		Go(f)
	})
	Go(f)
	for range 2 {
		begin <- true
		<-end
		if <-bubbles {
			t.Error("the goroutine is in a bubble")
		}
	}
}
