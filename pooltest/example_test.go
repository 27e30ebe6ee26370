package pooltest_test

import (
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/pooltest"
)

// A test that calls NoLeaks fails if a path forgets to release.
func ExampleNoLeaks() {
	test := func(t *testing.T) {
		pooltest.NoLeaks(t)
		b := bytespool.New(1024)
		defer bytespool.Release(b)
		copy(b, "request")
	}
	_ = test
}
