// Package user has the tests for a module beside it, which only the workspace knows.
package user

import (
	"testing"

	"example.com/lib"
)

func TestUse(t *testing.T) { lib.Use() }
