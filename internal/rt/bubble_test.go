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

// Each bubble has a number, and what is in none has 0.
func TestBubble(t *testing.T) {
	seen := map[int64]bool{}
	for range 3 {
		if n := Bubble(); n != 0 {
			t.Errorf("outside of all bubbles: %d", n)
		}
		synctest.Test(t, func(t *testing.T) {
			n := Bubble()
			if n <= 0 || seen[n] {
				t.Errorf("in a bubble: %d, after those of %v", n, seen)
			}
			seen[n] = true
			go func() {
				if m := Bubble(); m != n {
					t.Errorf("in bubble %d a goroutine is in %d", n, m)
				}
			}()
			synctest.Wait()
		})
	}
}
