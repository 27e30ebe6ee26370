package poolwatch

import (
	"math/rand"
	"testing"
)

// TestTable compares a table with a map. Its keys are few, so that they collide.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var got table[int]
	want := make(map[uintptr]*int)
	for i := range 200000 {
		key := uintptr(rng.Intn(300)+1) * 8
		switch rng.Intn(3) {
		case 0:
			got.remove(key)
			delete(want, key)
		default:
			v := i
			got.set(key, &v)
			want[key] = &v
		}
		key = uintptr(rng.Intn(300)+1) * 8
		if got.get(key) != want[key] {
			t.Fatalf("step %d: key %d: %v, want %v", i, key, got.get(key), want[key])
		}
	}
}
