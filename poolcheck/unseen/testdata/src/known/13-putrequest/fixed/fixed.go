// Package fixed serves a cache over HTTP.
package fixed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

type putObject struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
	Key   string          `json:"key"`
}

type putRequest struct {
	Puts []putObject `json:"puts"`
}

type putResponseObject struct {
	ID string `json:"id"`
}

type putResponse struct {
	Responses []putResponseObject `json:"responses"`
}

type backend interface {
	Put(ctx context.Context, key, value string) error
}

func newPutHandler(b backend, max int, allowKeys bool) http.HandlerFunc {
	requests := sync.Pool{New: func() any { return &putRequest{} }}
	responses := sync.Pool{New: func() any { return &putResponse{} }}

	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		defer r.Body.Close()

		put := requests.Get().(*putRequest)
		put.Puts = make([]putObject, 0)
		defer requests.Put(put)

		if err := json.Unmarshal(body, put); err != nil {
			http.Error(w, "the body is no JSON", http.StatusBadRequest)
			return
		}
		if len(put.Puts) > max {
			http.Error(w, fmt.Sprintf("more than %d elements", max), http.StatusBadRequest)
			return
		}

		resp := responses.Get().(*putResponse)
		resp.Responses = make([]putResponseObject, len(put.Puts))
		defer responses.Put(resp)

		for i, p := range put.Puts {
			if len(p.Value) == 0 {
				http.Error(w, "no value", http.StatusBadRequest)
				return
			}
			var value string
			switch p.Type {
			case "xml":
				var text string
				if err := json.Unmarshal(p.Value, &text); err != nil {
					http.Error(w, "xml wants a string", http.StatusBadRequest)
					return
				}
				value = p.Type + text
			case "json":
				value = p.Type + string(p.Value)
			default:
				http.Error(w, "unknown type", http.StatusBadRequest)
				return
			}
			resp.Responses[i].ID = rand.Text()
			if allowKeys && p.Key != "" {
				resp.Responses[i].ID = p.Key
			}
			ctx, cancel := context.WithTimeout(r.Context(), 500*time.Millisecond)
			err := b.Put(ctx, resp.Responses[i].ID, value)
			cancel()
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}

		text, err := json.Marshal(resp)
		if err != nil {
			http.Error(w, "the answer cannot be encoded", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	}
}
