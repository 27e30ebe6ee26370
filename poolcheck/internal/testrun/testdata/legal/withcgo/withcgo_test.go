//go:build cgo

package withcgo

import "testing"

func TestSum(t *testing.T) {
	if got := Sum(); got != 1000 {
		t.Fatalf("the sum is %d", got)
	}
}

func TestFreed(t *testing.T) { Freed() }

func TestCallBack(t *testing.T) {
	for range 10 {
		CallBack()
	}
}
