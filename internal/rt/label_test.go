package rt

import (
	"context"
	"runtime/pprof"
	"testing"
)

// TestCurrentLabel sees that a label is that of the goroutine and of those that it
// starts, and of no others.
func TestCurrentLabel(t *testing.T) {
	outer := CurrentLabel()
	pprof.Do(context.Background(), pprof.Labels("a", "b"), func(context.Context) {
		own := CurrentLabel()
		if (own != outer) != Labels {
			t.Errorf("goroutines can be told apart: %v, and a label makes a difference: %v", Labels, own != outer)
		}
		inherited := make(chan Label)
		go func() { inherited <- CurrentLabel() }()
		if <-inherited != own {
			t.Error("a goroutine does not inherit the label of the one that started it")
		}
	})
	if CurrentLabel() != outer {
		t.Error("the label stays when it has ended")
	}
}
