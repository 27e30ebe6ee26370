// Package nomain has a TestMain that runs no tests.
package nomain

import (
	"sync"
	"testing"
)

func TestMain(m *testing.M) {
	var p sync.Pool
	p.Put(new(int))
}

func TestFails(t *testing.T) { t.Fatal("is not run") }
