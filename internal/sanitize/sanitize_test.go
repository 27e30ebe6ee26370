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
