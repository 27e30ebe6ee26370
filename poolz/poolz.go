// Package poolz shows the memory, the hits and the troubles of the pools of a program: as a page, as JSON, and as a variable of package expvar.
//
//	mux := http.NewServeMux() // not for users of the service
//	mux.Handle("/debug/pools", poolz.Handler())
//	go http.ListenAndServe("localhost:6060", mux)
//
// It shows all pools of package bytespool that are alive, those of package buffer
// among them. Package contrib/prometheus of the module exports the same figures to
// Prometheus.
//
// # The page
//
// For each pool the page shows the bytes that are in use and idle, the limit and the
// budget, gets per second and the hit rate over the last minute, misses, and drops by
// reason. The pools that need attention are named first, with the reason:
//
//   - package checked found misuse in a pool of this name
//   - requests wait, or were rejected in the last minute, or more than 7/8 of the limit
//     is in use
//   - nothing was released for a while although the limit is reached: slices are lost
//   - bytes in use grew throughout the last minute at the same rate of requests
//   - fewer than half of 1,000 requests or more in the last minute were hits
//   - the budget dropped more than 1 % of the slices released in the last minute
//
// All figures of a pool and its classes, the reports of package checked and the profile
// of memory in use are a click away. The page's address names the open parts, so that they
// stay open when the page refreshes itself, and may be bookmarked. The page needs no
// other file, and no script; with script, a refresh also keeps the focus, and where the
// reader has scrolled to.
//
// # Parameters
//
// They are those of the links on the page:
//
//	format=html|json      the page, or JSON; without it the header Accept decides
//	format=profile|pprof  memory in use by the place that acquired it, as text or for go tool pprof
//	pool=ID               the profile of this pool alone
//	open=ID, open=all     show the details of this pool, or of all; repeatable
//	finding=ID            show this report of package checked; repeatable
//	sort=name|memory|gets the order of the pools; without it the oldest comes first
//	refresh=SECONDS       how often the page refreshes itself; 0 for never
//	at=NAME               which link has the focus
//
// A value without a meaning is answered with status 400 and the values that have one.
//
// # JSON
//
// It has an array pools with an object for each pool, in the order in which they were
// made. Several pools may have the same name; the id tells them apart while the program
// runs. The names are those of the fields of [github.com/octet-go/octet/bytespool/stats.Pool],
// and so are those of the objects in it: dropped and dropped_bytes, by reason, and limit, if
// the pool has one. All numbers are counts since the pool was made, or bytes or seconds where
// the name says so; a budget of 0 is none. Pools that share a limit have the same limit, with
// the same id. The classes are left out unless open says otherwise.
//
// Beside the pools are pressure, which is memory that is the same for all, and checked: the
// mode of package checked and how much misuse it has found.
//
// # Cost
//
// Requests to pools pay nothing. While somebody looks at the page, its handler reads
// the counters once a second, which takes some 10 µs a pool, and keeps a minute of
// figures. It stops a minute after the last request for the page. JSON takes some 50 µs
// a pool, and starts nothing.
//
// The example Proxy is a reverse proxy with a limit and the page.
//
// # Map
//
//	handler.go  what a request is answered with
//	query.go    the parameters of a request, and the links that have them
//	page.go     the page
//	markup.go   HTML, in which what comes from outside is escaped
//	chart.go    charts of the last minute
//	text.go     numbers, sizes and times as people read them
//	trouble.go  when a pool needs attention
//	sampler.go  the figures of all pools, now and over the last minute
//	json.go     the same as JSON, from the tables of package figures
//	poolz.go    the package documentation and its API
package poolz

import "net/http"

// Handler returns a handler that shows all pools of the program: see the package
// documentation. It shows the names of pools, and with package checked those of functions
// and files: give it an address that users of the service do not reach, as net/http/pprof.
//
// It works at any path, answers GET and HEAD, and others with status 405. Its answers
// must not be cached, and say so.
func Handler() http.Handler { return new(handler) }

// Var is a variable for package expvar, which shows it at /debug/vars:
//
//	expvar.Publish("pools", poolz.Var{})
//
// It is the JSON of [Handler], without classes.
type Var struct{}

// String implements [expvar.Var].
func (Var) String() string { return string(encode(observe(), selection{})) }
