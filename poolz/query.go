package poolz

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A query is what a request asks for.
type query struct {
	format  string // html, json, profile or pprof
	pool    uint64 // whose profile is asked for; 0 for all
	open    selection
	finding selection
	sort    string // "", or what sorters has
	refresh int    // seconds; 0 for never
	at      string // the anchor of what was opened or closed last, which keeps the focus
}

// A selection is a set of things by their numbers, which are sorted.
type selection struct {
	all bool
	ids []uint64
}

func (s selection) has(id uint64) bool {
	_, found := slices.BinarySearch(s.ids, id)
	return s.all || found
}

func (s selection) empty() bool { return !s.all && len(s.ids) == 0 }

// toggle returns s with the thing if it was not there, and otherwise without it.
func (s selection) toggle(id uint64) selection {
	i, found := slices.BinarySearch(s.ids, id)
	if found {
		return selection{ids: slices.Delete(slices.Clone(s.ids), i, i+1)}
	}
	return selection{ids: slices.Insert(slices.Clone(s.ids), i, id)}
}

// of returns the part of s that exists. All links of a page repeat it, so that a query
// must not make it longer than what the page shows.
func (s selection) of(exists func(id uint64) bool) selection {
	s.ids = slices.DeleteFunc(slices.Clone(s.ids), func(id uint64) bool { return !exists(id) })
	return s
}

const defaultRefresh = 5

// parse reads the parameters of a request.
func parse(r *http.Request) (q query, err error) {
	v := r.URL.Query()
	switch q.format = v.Get("format"); q.format {
	case "html", "json", "profile", "pprof":
	case "":
		q.format = "html"
		if prefersJSON(r.Header.Values("Accept")) {
			q.format = "json"
		}
	default:
		return q, fmt.Errorf("format=%q is unknown: use html, json, profile or pprof", q.format)
	}
	if s := v.Get("pool"); s != "" {
		if q.pool, err = strconv.ParseUint(s, 10, 64); err != nil || q.pool == 0 {
			return q, fmt.Errorf("pool=%q is not the id of a pool: use that of the JSON", s)
		}
	}
	if q.open, err = parseSelection(v["open"], true); err != nil {
		return q, fmt.Errorf("open=%w: use the id of a pool, or all", err)
	}
	if q.finding, err = parseSelection(v["finding"], false); err != nil {
		return q, fmt.Errorf("finding=%w: use a link of the page", err)
	}
	if q.sort = v.Get("sort"); q.sort != "" && sorters[q.sort] == nil {
		return q, fmt.Errorf("sort=%q is unknown: use name, memory or gets", q.sort)
	}
	q.at = v.Get("at")
	q.refresh = defaultRefresh
	if s := v.Get("refresh"); s != "" {
		if q.refresh, err = strconv.Atoi(s); err != nil || q.refresh < 0 {
			return q, fmt.Errorf("refresh=%q is not a number of seconds: use for example 5, or 0 for never", s)
		}
	}
	return q, nil
}

func parseSelection(values []string, all bool) (s selection, err error) {
	for _, v := range values {
		if v == "all" && all {
			s.all = true
			continue
		}
		id, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			return s, fmt.Errorf("%q is unknown", v)
		}
		s.ids = append(s.ids, id)
	}
	slices.Sort(s.ids)
	s.ids = slices.Compact(s.ids)
	return s, nil
}

// link returns the address of the page that q asks for, relative to the page itself. It
// has no fragment: without script, a page whose address has one does not refresh itself.
func (q query) link() string {
	v := make(url.Values)
	if q.format != "html" {
		v.Set("format", q.format)
	}
	if q.pool != 0 {
		v.Set("pool", strconv.FormatUint(q.pool, 10))
	}
	if q.open.all {
		v.Set("open", "all")
	}
	for _, id := range q.open.ids {
		v.Add("open", strconv.FormatUint(id, 10))
	}
	for _, id := range q.finding.ids {
		v.Add("finding", strconv.FormatUint(id, 10))
	}
	if q.sort != "" {
		v.Set("sort", q.sort)
	}
	if q.refresh != defaultRefresh {
		v.Set("refresh", strconv.Itoa(q.refresh))
	}
	if q.at != "" {
		v.Set("at", q.at)
	}
	return "?" + v.Encode()
}

// prefersJSON reports whether a client that sends these headers Accept would rather
// have JSON than HTML. Who takes both alike gets what it names more exactly, and
// otherwise HTML.
func prefersJSON(accept []string) bool {
	type rank struct {
		exact int // how exactly the type is named: 3 for itself, 1 for */*
		q     float64
	}
	var html, json rank
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if s, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(s, 64); err != nil {
				continue
			}
		}
		name := func(r *rank, exact int) {
			if exact > r.exact {
				*r = rank{exact, q}
			}
		}
		switch media {
		case "text/html":
			name(&html, 3)
		case "text/*":
			name(&html, 2)
		case "application/json":
			name(&json, 3)
		case "application/*":
			name(&json, 2)
		case "*/*":
			name(&html, 1)
			name(&json, 1)
		}
	}
	return json.q > html.q || json.q == html.q && json.exact > html.exact
}
