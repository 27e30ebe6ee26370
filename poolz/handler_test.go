package poolz

import (
	"encoding/json"
	"expvar"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// get asks h for what is at address.
func get(t testing.TB, h http.Handler, method, address string, accept ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, address, nil)
	r.Header["Accept"] = accept
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t testing.TB, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// use takes and releases a slice of p a few times.
func use(p *bytespool.Pool, times int) {
	for range times {
		p.Release(p.New(1 << 10))
	}
}

func TestMethodsAndHeaders(t *testing.T) {
	h := Handler()
	for _, address := range []string{"/", "/?format=json", "/?format=profile", "/?format=pprof", "/?format=x"} {
		g, head := get(t, h, "GET", address), get(t, h, "HEAD", address)
		for _, r := range []*http.Response{g, head} {
			if r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: Cache-Control: %q", address, r.Header.Get("Cache-Control"))
			}
		}
		if head.StatusCode != g.StatusCode || head.Header.Get("Content-Type") != g.Header.Get("Content-Type") {
			t.Errorf("%s: HEAD says %d, %v, GET %d, %v", address, head.StatusCode, head.Header, g.StatusCode, g.Header)
		}
		if g.StatusCode == 200 && text(t, head) != "" {
			t.Errorf("%s: HEAD has a body", address)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		r := get(t, h, method, "/")
		if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, %v", method, r.StatusCode, r.Header)
		}
	}
}

func TestBadParameters(t *testing.T) {
	for query, want := range map[string]string{
		"format=xml":                "html, json, profile or pprof",
		"pool=x":                    "is not the id of a pool",
		"open=x":                    "use the id of a pool, or all",
		"finding=all":               "use a link of the page",
		"sort=x":                    "name, memory or gets",
		"refresh=-1":                "0 for never",
		"format=profile&pool=99999": "there is no pool 99999",
	} {
		r := get(t, Handler(), "GET", "/?"+query)
		body := text(t, r)
		if r.StatusCode/100 != 4 || !strings.Contains(body, want) || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %q, want %q", query, r.StatusCode, body, want)
		}
	}
}

func TestAccept(t *testing.T) {
	const page, json = "text/html; charset=utf-8", "application/json"
	for _, tt := range []struct {
		want   string
		accept []string
	}{
		{page, nil},
		{page, []string{"*/*"}},
		{page, []string{"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"}},
		{page, []string{"application/json;q=0.5, text/html"}},
		{page, []string{"application/json;q=x, rubbish;;"}},
		{json, []string{"application/json"}},
		{json, []string{"application/json, text/plain, */*"}},
		{json, []string{"text/html;q=0.1", "application/json;q=0.2"}},
		{json, []string{"text/*;q=0.5, */*;q=0.8"}},
	} {
		if got := get(t, Handler(), "GET", "/", tt.accept...).Header.Get("Content-Type"); got != tt.want {
			t.Errorf("Accept: %q: %s, want %s", tt.accept, got, tt.want)
		}
	}
	if got := get(t, Handler(), "GET", "/?format=html", "application/json").Header.Get("Content-Type"); got != page {
		t.Errorf("format=html: %s", got)
	}
}

// TestJSON sees the JSON of a pool, at the address and as a variable. See
// TestEveryFieldIsShown.
func TestJSON(t *testing.T) {
	testenv.Quietly(t)
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("json"), bytespool.WithLimit(64<<10))
	held := p.New(4096)
	use(p, 10)
	p.Trim()
	type object struct {
		ID      uint64
		Name    string
		Gets    uint64
		InUse   int64 `json:"in_use_bytes"`
		Limit   struct{ Bytes int64 }
		Dropped struct{ Trimmed uint64 }
		Last    time.Time `json:"last_drop"`
		Classes []struct{ Capacity int }
	}
	find := func(text string) (o object) {
		t.Helper()
		var doc struct{ Pools []object }
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		for _, o = range doc.Pools {
			if o.ID == engine.Of(p).ID() {
				break
			}
		}
		if o.Name != "json" || o.Gets != 11 || o.InUse != 4096 || o.Limit.Bytes != 64<<10 || o.Dropped.Trimmed != 1 || !o.Last.Equal(p.Stats().LastDrop) {
			t.Errorf("got %+v from\n%s", o, text)
		}
		return o
	}
	if o := find(text(t, get(t, Handler(), "GET", "/?format=json&open=all"))); len(o.Classes) != 2 {
		t.Errorf("classes are %v, want two", o.Classes)
	}
	var v expvar.Var = Var{}
	for _, text := range []string{text(t, get(t, Handler(), "GET", "/?format=json")), v.String()} {
		if o := find(text); o.Classes != nil {
			t.Errorf("classes are %v, though none are open", o.Classes)
		}
	}
	p.Release(held)
}

// TestProfile sees that the profile of one pool has its slices alone.
func TestProfile(t *testing.T) {
	stop, err := checked.Start(checked.Options{Mode: checked.Full})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	p, q := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("p")), bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("q"))
	a, b := p.New(1<<10), q.New(1<<12)
	defer func() { p.Release(a); q.Release(b) }()
	q1 := query{format: "profile", pool: engine.Of(p).ID(), refresh: defaultRefresh}
	one := text(t, get(t, Handler(), "GET", "/"+q1.link()))
	if strings.Count(one, "poolz.TestProfile") != 1 || !strings.Contains(one, `with the name "p"`) {
		t.Errorf("the profile of pool p is\n%s", one)
	}
	if all := text(t, get(t, Handler(), "GET", "/?format=profile")); strings.Count(all, "poolz.TestProfile") != 2 {
		t.Errorf("the profile of all pools is\n%s", all)
	}
	if r := get(t, Handler(), "GET", "/?format=pprof"); !strings.HasPrefix(text(t, r), "\x1f\x8b") {
		t.Error("the profile for pprof is not gzipped")
	}
}

// TestFindings sees that a misuse is listed, that its report opens, and that its pool
// needs attention.
func TestFindings(t *testing.T) {
	stop, err := checked.Start(checked.Options{Mode: checked.Full, Action: checked.Log})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	defer checked.Handle(func(*checked.Report) {})()
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("misused <pool>"))
	b := p.New(100)
	p.Release(b)
	p.Release(b) //poolcheck:ignore OCT003 the test is about it
	h := Handler()
	body := text(t, get(t, h, "GET", "/"))
	for _, want := range []string{"OCT003", "misuse was found in a pool of this name", "misused &lt;pool&gt;"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if strings.Contains(body, "TestFindings") {
		t.Error("a report is open that nobody opened")
	}
	_, rest, _ := strings.Cut(body, `<li id="finding-`)
	_, rest, _ = strings.Cut(rest, `href="`)
	open, _, _ := strings.Cut(rest, `"`)
	body = text(t, get(t, h, "GET", "/"+html.UnescapeString(open)))
	if !strings.Contains(body, "TestFindings") || strings.Count(body, " autofocus") != 1 {
		t.Errorf("%s does not show the report, or its link does not have the focus", open)
	}
	keepAlive(p)
}

// TestAllocations pins what a JSON page allocates for a pool that uses four classes.
func TestAllocations(t *testing.T) {
	testenv.PlainBuild(t)
	pools := fifty()
	h := Handler()
	r := httptest.NewRequest("GET", "/?format=json", nil)
	n := testing.AllocsPerRun(20, func() { h.ServeHTTP(discard{}, r) })
	alive := len(observe()) // with those of other tests
	const most = 150        // 88 with Go 1.26, and 119 with the encoding/json of Go 1.27
	if per := n / float64(alive); per > most {
		t.Errorf("%.1f allocations a pool, of %d pools, want %d at most", per, alive, most)
	}
	keepAlive(pools...)
}

// fifty returns as many pools, used in four classes.
func fifty() (pools []*bytespool.Pool) {
	for range 50 {
		p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("one of fifty"))
		for size := 1 << 10; size <= 64<<10; size *= 4 {
			p.Release(p.New(size))
		}
		pools = append(pools, p)
	}
	return pools
}

// discard is an answer that nobody reads.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
