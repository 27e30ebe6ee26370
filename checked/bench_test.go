package checked_test

import (
	"fmt"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/testenv"
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
			p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20))
			for b.Loop() {
				s := p.New(4096)
				s[0] = 1
				p.Release(s)
			}
		})
	}
}

// BenchmarkSizes shows how the cost grows with the size, which it does in race builds.
func BenchmarkSizes(b *testing.B) {
	for _, size := range []int{64, 4 << 10, 32 << 10, 128 << 10, 1 << 20} {
		b.Run(fmt.Sprint("size=", size), func(b *testing.B) {
			p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20))
			for b.Loop() {
				s := p.New(size)
				s[0] = 1
				p.Release(s)
			}
		})
	}
}

// BenchmarkPaths is a get and a release in mode full, from one call path or from many. Its
// operations are as deep in the stack.
func BenchmarkPaths(b *testing.B) {
	for _, paths := range []int{1, 100_000} {
		b.Run(fmt.Sprint("paths=", paths), func(b *testing.B) {
			stop, err := checked.Start(checked.Options{Mode: checked.Full})
			if err != nil {
				b.Fatal(err)
			}
			defer stop()
			pool := bytespool.NewPool(bytespool.WithSizes(64, 4096))
			use := func() { pool.Release(pool.New(64)) }
			for i := range b.N {
				testenv.ByPath(i%paths, 17, use)
			}
		})
	}
}
