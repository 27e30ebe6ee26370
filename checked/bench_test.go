package checked_test

import (
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
)

// BenchmarkGetRelease shows what the modes cost: a New and a Release of 4 KiB,
// one byte touched.
//
//	go test -run '^$' -bench GetRelease ./checked
func BenchmarkGetRelease(b *testing.B) {
	for _, mode := range []checked.Mode{checked.Off, checked.Sample, checked.Full, checked.Guard} {
		b.Run(mode.String(), func(b *testing.B) {
			stop, err := checked.Start(checked.Options{Mode: mode})
			if err != nil {
				b.Fatal(err)
			}
			defer stop()
			p := bytespool.NewCapacityPools(2, 1<<20)
			for b.Loop() {
				s := p.New(4096)
				s[0] = 1
				p.Release(s)
			}
		})
	}
}
