// Package nopool has no pool, so that its tests are not run.
package nopool

import "testing"

func TestNothing(t *testing.T) { t.Fatal("is not run") }
