//go:build !asan

// An ASan build ends the program at such a write.

package engine

import (
	"testing"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/testenv"
)

func TestCheckedFindsWrites(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := newPool(c)
		found := checktest.Start(t, check.Config{Mode: check.Full})
		b := p.New(1000)
		p.Release(b)
		stale(b)
		testenv.Eventually(t, "the write is found", func() bool {
			p.Release(p.New(1000))
			return len(found()) > 0
		})
		f := found()[0]
		if f.Code != finding.UseAfterRelease || len(f.Acquired) == 0 || len(f.Released) == 0 {
			t.Errorf("found %+v", f)
		}
	})
}

// stale writes to b, out of sight of the race detector.
//
//go:norace
func stale(b []byte) { b[7]++ }
