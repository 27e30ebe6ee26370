package poolz_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/poolz"
)

func Example() {
	frames := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithName("frames"))
	held := frames.New(4000)

	mux := http.NewServeMux()
	mux.Handle("/debug/pools", poolz.Handler())
	server := httptest.NewServer(mux) // in a program: go http.ListenAndServe("localhost:6060", mux)
	defer server.Close()

	r, err := http.Get(server.URL + "/debug/pools?format=json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	var all struct {
		Pools []struct {
			Name  string
			InUse int64 `json:"in_use_bytes"`
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range all.Pools {
		if p.Name == "frames" {
			fmt.Println(p.Name, "has", p.InUse, "bytes in use")
		}
	}
	frames.Release(held)
	runtime.KeepAlive(frames)
	// Output: frames has 4096 bytes in use
}

// The pools are at /debug/vars, beside the program's other variables.
func ExampleVar() {
	expvar.Publish("pools", poolz.Var{})
}
