package poolz

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	inuse "github.com/octet-go/octet/internal/profile"
)

type handler struct{ sampler sampler }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "poolz: method "+r.Method+": use GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	q, err := parse(r)
	if err != nil {
		http.Error(w, "poolz: "+err.Error(), http.StatusBadRequest)
		return
	}
	var body []byte
	switch q.format {
	case "json":
		head.Set("Content-Type", "application/json")
		body = encode(observe(), q.open)
	case "html":
		head.Set("Content-Type", "text/html; charset=utf-8")
		head.Set("Content-Security-Policy", policy)
		histories := h.sampler.look()
		body = newPage(time.Now(), q, observe(), histories, check.RecentFindings())
	default:
		var found bool
		if body, found, err = profileOf(q); !found {
			http.Error(w, fmt.Sprintf("poolz: there is no pool %d, or not any more", q.pool), http.StatusNotFound)
			return
		}
		if q.format == "pprof" {
			head.Set("Content-Type", "application/octet-stream")
			head.Set("Content-Disposition", `attachment; filename="octet.pb.gz"`)
		} else {
			head.Set("Content-Type", "text/plain; charset=utf-8")
		}
	}
	if err != nil {
		http.Error(w, "poolz: "+err.Error(), http.StatusInternalServerError)
		return
	}
	head.Add("Vary", "Accept")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		w.Write(body) // if the client is gone, there is nobody to tell
	}
}

// profileOf returns the profile that q asks for, and false if its pool is not there.
func profileOf(q query) (profile []byte, found bool, err error) {
	debug := 1
	if q.format == "pprof" {
		debug = 0
	}
	var b bytes.Buffer
	if q.pool == 0 {
		err = inuse.Octet(&b, debug, nil)
		return b.Bytes(), true, err
	}
	for p := range bytespool.Pools() {
		if e := engine.Of(p); e.ID() == q.pool {
			err = inuse.Octet(&b, debug, e)
			return b.Bytes(), true, err
		}
	}
	return nil, false, nil
}
