package poolz

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestSize bounds what the package adds to a program that serves HTTP already.
func TestSize(t *testing.T) {
	testenv.Long(t)
	const without = `package main

import "net/http"

func main() { panic(http.ListenAndServe("localhost:0", nil)) }
`
	const with = `package main

import (
	"net/http"

	"github.com/octet-go/octet/poolz"
)

func main() { panic(http.ListenAndServe("localhost:0", poolz.Handler())) }
`
	// On linux/amd64 1.1e6 with Go 1.26, a fifth of it encoding/json, and 2.0e6 with that of Go 1.27; with html/template 4.6e6.
	const most = 2.4e6
	if adds := testenv.ProgramSize(t, with) - testenv.ProgramSize(t, without); adds > most {
		t.Errorf("the package adds %d bytes to a program that has net/http, want %.0f at most", adds, most)
	} else {
		t.Logf("it adds %d bytes", adds)
	}
}
