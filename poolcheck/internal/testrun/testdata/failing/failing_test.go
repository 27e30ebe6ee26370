// Package failing has a test that fails without this command.
package failing

import (
	"os"
	"sync"
	"testing"
	"time"
)

var pool sync.Pool

func TestFails(t *testing.T) { t.Fatal("always") }

// TestHangs ends the process when its time is over. It has the pipe that HANGS names open until then.
func TestHangs(t *testing.T) {
	if name := os.Getenv("HANGS"); name != "" {
		x := new(int)
		for range 2 {
			pool.Put(x)
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.WriteString("x")
	}
	time.Sleep(time.Hour)
}

// TestPanics ends the process before the tests that come after it.
func TestPanics(t *testing.T) { panic("always") }

func TestTwice(t *testing.T) {
	x := new(int)
	pool.Put(x)
	pool.Put(x)
}
