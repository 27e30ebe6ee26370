package checked_test

import (
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// TestManyGuarded has more slices in use than may be guarded: as many as the system
// allows, or fewer. The others are checked as in mode full, and counted.
func TestManyGuarded(t *testing.T) {
	before := checked.Current().Guarded // that other tests got, and released in mode off
	for bound, n := range map[int]int{0: testenv.Rounds(100_000), before + 10: 2 * (before + 10)} {
		stop, err := checked.Start(checked.Options{Mode: checked.Guard, MaxGuarded: bound})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		if checked.Current().Mode != checked.Guard {
			t.Skip("there is no guarded memory here")
		}
		unguarded := checked.Current().Unguarded
		p := bytespool.NewPool(bytespool.WithSizes(16, 1024))
		slices := make([][]byte, n)
		for i := range slices {
			slices[i] = p.New(64)
			slices[i][63] = byte(i)
		}
		s := checked.Current()
		guarded, refused := s.Guarded-before, int(s.Unguarded-unguarded)
		if guarded+refused != n || s.Guarded > s.MaxGuarded || bound > 0 && s.Guarded != bound {
			t.Errorf("bound %d: %d guarded and %d not, of %d, with a bound of %d", bound, guarded, refused, n, s.MaxGuarded)
		}
		for i, b := range slices {
			if b[63] != byte(i) {
				t.Fatalf("slice %d holds something else", i)
			}
			if !engine.Of(p).Release(b) {
				t.Fatalf("slice %d was rejected", i)
			}
		}
		if n := checked.Current().Guarded; n != before {
			t.Errorf("%d guarded slices are left", n-before)
		}
		stop()
	}
}
