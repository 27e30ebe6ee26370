// Package fixed reports the statements that took the most time, from a time series
// database.
package fixed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
)

// An answer is what the database answers.
type answer struct {
	Status string     `json:"status"`
	Data   answerData `json:"data"`
}

type answerData struct {
	ResultType string         `json:"resultType"`
	Results    []answerResult `json:"result"`
}

type answerResult struct {
	Metric answerMetric `json:"metric"`
	Values [][]any      `json:"values"`
}

type answerMetric struct {
	Instance   string `json:"instance"`
	SQLDigest  string `json:"sql_digest"`
	PlanDigest string `json:"plan_digest"`
}

type bufferPool struct{ p sync.Pool }

func (p *bufferPool) Get() *bytes.Buffer {
	v := p.p.Get()
	if v == nil {
		return new(bytes.Buffer)
	}
	return v.(*bytes.Buffer)
}

func (p *bufferPool) Put(v *bytes.Buffer) {
	v.Reset()
	p.p.Put(v)
}

type headerPool struct{ p sync.Pool }

func (p *headerPool) Get() http.Header {
	v := p.p.Get()
	if v == nil {
		return make(http.Header)
	}
	return v.(http.Header)
}

func (p *headerPool) Put(v http.Header) {
	clear(v)
	p.p.Put(v)
}

var (
	bytesP  bufferPool
	headerP headerPool
)

// A respWriter keeps a response.
type respWriter struct {
	body   *bytes.Buffer
	header http.Header
	code   int
}

func (w *respWriter) Header() http.Header         { return w.header }
func (w *respWriter) WriteHeader(code int)        { w.code = code }
func (w *respWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

// A Record is a statement and its values, one for each time.
type Record struct {
	SQLDigest, PlanDigest string
	TimestampSec          []uint64
	CPUTimeMs             []uint64
	total                 uint64
}

// A Query asks a database that runs in this process.
type Query struct{ handler http.HandlerFunc }

// Records appends the records of the top statements of an instance to fill.
func (q *Query) Records(name string, start, end, window, top int, instance string, fill *[]Record) error {
	if start > end {
		return nil
	}
	start = end - (end-start)/window*window

	var resp answer
	text := fmt.Sprintf("sum_over_time(%s{instance=%q}[%d])", name, instance, window)
	if err := q.fetch(text, start, end, window, &resp); err != nil {
		return err
	}
	records := make([]Record, 0, len(resp.Data.Results))
	for _, r := range resp.Data.Results {
		rec := Record{SQLDigest: r.Metric.SQLDigest, PlanDigest: r.Metric.PlanDigest}
		for _, pair := range r.Values {
			ts, val, ok := parse(pair)
			if !ok {
				continue
			}
			rec.TimestampSec = append(rec.TimestampSec, ts)
			rec.CPUTimeMs = append(rec.CPUTimeMs, val)
			rec.total += val
		}
		records = append(records, rec)
	}
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(b.total, a.total) })
	*fill = append(*fill, records[:min(top, len(records))]...)
	return nil
}

// Sums adds the sum over all the time to fill, by statement.
func (q *Query) Sums(name string, start, end int, instance string, fill map[string]uint64) error {
	var resp answer
	text := fmt.Sprintf("sum_over_time(%s{instance=%q})", name, instance)
	// The database looks back from each time.
	if err := q.fetch(text, end, end, end-start+1, &resp); err != nil {
		return err
	}
	for _, r := range resp.Data.Results {
		if len(r.Values) == 0 {
			continue
		}
		if _, val, ok := parse(r.Values[0]); ok {
			fill[r.Metric.SQLDigest] += val
		}
	}
	return nil
}

// parse returns the time and the value of a pair.
func parse(pair []any) (ts, val uint64, ok bool) {
	if len(pair) < 2 {
		return 0, 0, false
	}
	t, ok := pair[0].(float64)
	if !ok {
		return 0, 0, false
	}
	text, ok := pair[1].(string)
	if !ok {
		return 0, 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return uint64(t), uint64(f), err == nil
}

// fetch asks for the values of a query and decodes them into resp.
func (q *Query) fetch(text string, start, end, step int, resp *answer) error {
	if q.handler == nil {
		return errors.New("no query handler")
	}
	body := bytesP.Get()
	defer bytesP.Put(body)
	header := headerP.Get()
	defer headerP.Put(header)

	req, err := http.NewRequest("GET", "/api/v1/query_range", nil)
	if err != nil {
		return err
	}
	req.URL.RawQuery = url.Values{
		"query": {text},
		"start": {strconv.Itoa(start)},
		"end":   {strconv.Itoa(end)},
		"step":  {strconv.Itoa(step)},
	}.Encode()

	w := respWriter{body: body, header: header, code: http.StatusOK}
	q.handler(&w, req)
	if w.code < 200 || w.code >= 300 {
		log.Print("failed to fetch: ", w.body)
		return errors.New(w.body.String())
	}
	return json.Unmarshal(w.body.Bytes(), resp)
}
