// Package checktest is for tests of what package check finds.
package checktest

import (
	"sync"
	"testing"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/guard"
)

func init() {
	check.Connect(check.Arena{Start: guard.Start, Alloc: guard.Alloc, Free: guard.Free, Owns: guard.Owns}, nil)
}

// Start puts c into effect until t ends. It returns a function that returns the
// findings so far. They do not panic, and are not logged.
func Start(t *testing.T, c check.Config) (found func() []finding.Report) {
	t.Helper()
	before, err := check.Set(c)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var list []finding.Report
	remove := check.Handle(func(r *finding.Report) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, *r)
	})
	t.Cleanup(func() {
		remove()
		check.Set(before)
	})
	return func() []finding.Report {
		mu.Lock()
		defer mu.Unlock()
		return list
	}
}
