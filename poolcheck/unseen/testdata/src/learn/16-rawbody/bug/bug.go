// Package bug registers handlers whose input is made of requests.
package bug

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"sync"
)

var bufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func writeErr(w http.ResponseWriter, status int, text string) { http.Error(w, text, status) }

func register[I, O any](mux *http.ServeMux, pattern string, maxBytes int64, handler func(context.Context, *I) (*O, error)) {
	inputType := reflect.TypeFor[I]()
	rawIndex := -1
	if f, ok := inputType.FieldByName("RawBody"); ok {
		rawIndex = f.Index[0]
	}
	bodyIndex := -1
	if f, ok := inputType.FieldByName("Body"); ok {
		bodyIndex = f.Index[0]
	}

	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		var input I
		v := reflect.ValueOf(&input).Elem()

		if bodyIndex != -1 || rawIndex != -1 {
			buf := bufs.Get().(*bytes.Buffer)
			defer r.Body.Close()
			var reader io.Reader = r.Body
			if maxBytes > 0 {
				reader = io.LimitReader(reader, maxBytes)
			}
			count, err := io.Copy(buf, reader)
			if maxBytes > 0 && count == maxBytes {
				buf.Reset()
				bufs.Put(buf)
				writeErr(w, http.StatusRequestEntityTooLarge, "body is too large")
				return
			}
			if err != nil {
				buf.Reset()
				bufs.Put(buf)
				writeErr(w, http.StatusInternalServerError, "cannot read the body")
				return
			}
			body := buf.Bytes()
			if rawIndex != -1 {
				f := v.Field(rawIndex)
				f.SetBytes(body)
			}
			if len(body) == 0 {
				buf.Reset()
				bufs.Put(buf)
				writeErr(w, http.StatusBadRequest, "no body")
				return
			}
			if bodyIndex != -1 {
				if err := json.Unmarshal(body, v.Field(bodyIndex).Addr().Interface()); err != nil {
					buf.Reset()
					bufs.Put(buf)
					writeErr(w, http.StatusUnprocessableEntity, err.Error())
					return
				}
			}
			buf.Reset()
			bufs.Put(buf)
		}

		output, err := handler(r.Context(), &input)
		if err != nil {
			writeErr(w, http.StatusInternalServerError, err.Error())
			return
		}
		json.NewEncoder(w).Encode(output)
	})
}
