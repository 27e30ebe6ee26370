package checked_test

import (
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// TestManyGuarded has more slices in use than the system can guard. The others are
// checked as in mode full, and counted.
func TestManyGuarded(t *testing.T) {
	stop, err := checked.Start(checked.Options{Mode: checked.Guard})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if checked.Current().Mode != checked.Guard {
		t.Log("there is no guarded memory here")
		return
	}
	live := testenv.Rounds(100_000)
	p := bytespool.NewPool(bytespool.WithSizes(16, 1024))
	before := checked.Current()
	slices := make([][]byte, live)
	for i := range slices {
		slices[i] = p.New(64)
		slices[i][63] = byte(i)
	}
	s := checked.Current()
	guarded, refused := s.Guarded-before.Guarded, int(s.Unguarded-before.Unguarded)
	if guarded+refused != live || s.Guarded > s.MaxGuarded {
		t.Errorf("%d guarded and %d not, of %d, with a bound of %d", guarded, refused, live, s.MaxGuarded)
	}
	for i, b := range slices {
		if b[63] != byte(i) {
			t.Fatalf("slice %d holds something else", i)
		}
		if !engine.Of(p).Release(b) {
			t.Fatalf("slice %d was rejected", i)
		}
	}
	if n := checked.Current().Guarded; n != before.Guarded {
		t.Errorf("%d guarded slices are left", n-before.Guarded)
	}
	t.Logf("%d were guarded, %d not", guarded, refused)
}

// TestMaxGuarded sees that no more slices are guarded than was chosen.
func TestMaxGuarded(t *testing.T) {
	for more := range 3 {
		// Slices that other tests got, and released in mode off, still count.
		live := checked.Current().Guarded + 10 + more
		stop, err := checked.Start(checked.Options{Mode: checked.Guard, MaxGuarded: live})
		if err != nil {
			t.Fatal(err)
		}
		p := bytespool.NewPool(bytespool.WithSizes(16, 1024))
		var held [][]byte
		for range 2 * live {
			held = append(held, p.New(64))
		}
		if s := checked.Current(); s.Mode == checked.Guard && (s.MaxGuarded != live || s.Guarded != live) {
			t.Errorf("%d slices are guarded, with a bound of %d; want %d", s.Guarded, s.MaxGuarded, live)
		}
		for _, b := range held {
			p.Release(b)
		}
		stop()
	}
}
