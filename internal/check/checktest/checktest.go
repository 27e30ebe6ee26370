// Package checktest helps to test what package check finds.
package checktest

import (
	"sync"
	"testing"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/finding"
)

// Start has everything be checked as c says until t ends. It returns a function
// that returns what was found so far, which neither panics nor is logged.
func Start(t *testing.T, c check.Config) (found func() []finding.Report) {
	t.Helper()
	before, err := check.Set(c)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var list []finding.Report
	handler := check.Handle(func(r *finding.Report) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, *r)
	})
	t.Cleanup(func() {
		check.Handle(handler)
		check.Set(before)
	})
	return func() []finding.Report {
		mu.Lock()
		defer mu.Unlock()
		return list
	}
}
