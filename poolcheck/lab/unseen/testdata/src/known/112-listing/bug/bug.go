// Package bug answers requests for the metrics that there are, and for their points.
package bug

import (
	"errors"
	"fmt"
	"log"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"
)

var outputs = sync.Pool{
	New: func() any { return make([]byte, 0) },
}

type point struct {
	val float64
	ts  uint32
}

type definition struct {
	org  int
	name string
}

type timeSeries struct {
	target string
	points []point
}

// A catalog has the definitions of all metrics.
type catalog struct {
	mu   sync.RWMutex
	defs []*definition
}

// List returns those of an organization, and those that belong to all.
func (c *catalog) List(org int) []*definition {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var list []*definition
	for _, d := range c.defs {
		if d.org == org || d.org == -1 || org == -1 {
			list = append(list, d)
		}
	}
	return list
}

type store interface {
	Search(target string, from, to uint32) (timeSeries, error)
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

// appendPoints appends series and their points.
func appendPoints(b []byte, series []timeSeries) ([]byte, error) {
	b = append(b, '[')
	for i, s := range series {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"target":`...)
		b = strconv.AppendQuote(b, s.target)
		b = append(b, `,"datapoints":[`...)
		for j, p := range s.points {
			if math.IsInf(p.val, 0) {
				return b, fmt.Errorf("%s is infinite at %d", s.target, p.ts)
			}
			if j > 0 {
				b = append(b, ',')
			}
			b = append(b, '[')
			if math.IsNaN(p.val) {
				b = append(b, "null,"...)
			} else {
				b = strconv.AppendFloat(b, p.val, 'f', -1, 64)
				b = append(b, ',')
			}
			b = strconv.AppendUint(b, uint64(p.ts), 10)
			b = append(b, ']')
		}
		b = append(b, "]}"...)
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

// Get answers with the points of all targets.
func Get(st store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		targets := r.URL.Query()["target"]
		if len(targets) == 0 {
			http.Error(w, "no target", http.StatusBadRequest)
			return
		}
		from, to, err := timeRange(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var series []timeSeries
		for _, target := range targets {
			s, err := st.Search(target, from, to)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			series = append(series, s)
		}
		out := outputs.Get().([]byte)
		out, err = appendPoints(out, series)
		if err != nil {
			log.Print(err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			outputs.Put(out[:0])
			return
		}
		respond(w, out, typeJSON)
		outputs.Put(out[:0])
	}
}

func timeRange(r *http.Request) (from, to uint32, err error) {
	f, err := strconv.ParseUint(r.FormValue("from"), 10, 32)
	if err != nil {
		return 0, 0, err
	}
	t, err := strconv.ParseUint(r.FormValue("to"), 10, 32)
	if err != nil || f >= t {
		return 0, 0, errors.New("invalid time range")
	}
	return uint32(f), uint32(t), nil
}
