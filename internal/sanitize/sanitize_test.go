package sanitize_test

import (
	"os"
	"testing"

	"github.com/octet-go/octet/internal/sanitize"
)

// TestRight fails in builds with -race or -asan if anything is reported.
func TestRight(t *testing.T) {
	for name, use := range right {
		t.Run(name, use)
	}
}

// misuseVariable is set in the programs that TestReports starts.
const misuseVariable = "SANITIZE_MISUSE"

// TestMisuse misuses memory, so that the detectors report what they can.
func TestMisuse(t *testing.T) {
	if os.Getenv(misuseVariable) == "" {
		t.Skip("TestReports runs this in programs of their own")
	}
	for name, misuse := range wrong {
		t.Run(name, misuse)
	}
}

// TestOffCostsNothing sees that only builds with -race or -asan pay.
func TestOffCostsNothing(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("they are on")
	}
	b := make([]byte, 100)
	if n := testing.AllocsPerRun(100, func() { sanitize.Released(b); sanitize.Reused(b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReleasedReused(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"size=64", 64}, {"size=4KiB", 4 << 10}, {"size=64KiB", 64 << 10}} {
		b.Run(size.name, func(b *testing.B) {
			memory := make([]byte, size.bytes)
			for b.Loop() {
				sanitize.Released(memory)
				sanitize.Reused(memory)
			}
		})
	}
	// The same with a write, as in a program that uses what it gets.
	b.Run("size=4KiB/use=write", func(b *testing.B) {
		memory, source := make([]byte, 4<<10), make([]byte, 4<<10)
		for b.Loop() {
			copy(memory, source)
			sanitize.Released(memory)
			sanitize.Reused(memory)
		}
	})
	b.Run("size=4KiB/use=write/off", func(b *testing.B) {
		memory, source := make([]byte, 4<<10), make([]byte, 4<<10)
		for b.Loop() {
			copy(memory, source)
		}
	})
}
