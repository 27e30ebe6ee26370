// Package bug answers requests for the metrics that there are.
package bug

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"
)

var outputs = sync.Pool{
	New: func() any { return make([]byte, 0) },
}

type definition struct {
	org  int
	name string
}

// A catalog has the definitions of all metrics.
type catalog struct {
	defs []*definition
}

// List returns those of an organization, and those that belong to all.
func (c *catalog) List(org int) []*definition {
	var list []*definition
	for _, d := range c.defs {
		if d.org == org || d.org == -1 || org == -1 {
			list = append(list, d)
		}
	}
	return list
}

type contentType string

const typeJSON contentType = "application/json"

func respond(w http.ResponseWriter, b []byte, format contentType) {
	w.Header().Set("content-type", string(format))
	w.Write(b)
}

// appendNames appends the sorted names of the definitions.
func appendNames(b []byte, defs []*definition) ([]byte, error) {
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = d.name
	}
	slices.Sort(names)
	b = append(b, '[')
	for i, name := range names {
		if !utf8.ValidString(name) {
			return b, fmt.Errorf("name %q is not UTF-8", name)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, name)
	}
	return append(b, ']'), nil
}

func organization(r *http.Request) (int, error) {
	text := r.Header.Get("x-org-id")
	if text == "" {
		return 0, errors.New("no organization")
	}
	return strconv.Atoi(text)
}

// Names lists the metrics of an organization.
func Names(defs *catalog) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		org, err := organization(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		list := defs.List(org)
		out := outputs.Get().([]byte)
		out, err = appendNames(out, list)
		if err != nil {
			log.Print(err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		respond(w, out, typeJSON)
		outputs.Put(out[:0])
	}
}
