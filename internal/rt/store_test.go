package rt

import (
	"sync/atomic"
	"testing"
)

func TestStore(t *testing.T) {
	var v atomic.Int64
	for _, n := range []int64{1, -1, 1 << 62, -1 << 62, 0} {
		if Store(&v, n); v.Load() != n {
			t.Errorf("stored %d, loaded %d", n, v.Load())
		}
	}
}
