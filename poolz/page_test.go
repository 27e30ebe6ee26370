package poolz

import (
	"fmt"
	"net/http/httptest"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

func keepAlive(pools ...*bytespool.Pool) { runtime.KeepAlive(pools) }

// TestSampling sees that samples are taken once a second while somebody looks, that
// the page shows them, and that they end a minute after the last look.
func TestSampling(t *testing.T) {
	testenv.Quietly(t)
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("sampled"))
	defer keepAlive(p)
	synctest.Test(t, func(t *testing.T) {
		h := new(handler)
		if body := text(t, get(t, h, "GET", "/")); !strings.Contains(body, "Collecting") || strings.Contains(body, "<polyline") {
			t.Error("a fresh page does not say that it is collecting")
		}
		for range 30 { // uses between samples
			time.Sleep(interval / 2)
			use(p, 100)
			time.Sleep(interval / 2)
		}
		synctest.Wait()
		body := text(t, get(t, h, "GET", "/"))
		_, row, _ := strings.Cut(body, fmt.Sprintf(`id="pool-%d"`, engine.Of(p).ID()))
		row, _, _ = strings.Cut(plain(row), "</tr>")
		for _, want := range []string{`<span class="value">100</span>`, `<span class="value">99.9 %</span>`, "<polyline"} {
			if !strings.Contains(row, want) {
				t.Errorf("after 30 s of 100 gets per second %s is not in\n%s", want, row)
			}
		}
		if strings.Contains(body, "Collecting") {
			t.Error("the page says that it is collecting")
		}
		time.Sleep(span)
		if n := len(h.sampler.look()); n == 0 {
			t.Error("sampling ended early")
		}
		time.Sleep(span + 2*interval)
		synctest.Wait()
		if h.sampler.histories != nil {
			t.Error("sampling goes on though nobody looks")
		}
		get(t, h, "GET", "/?format=json")
		if h.sampler.histories != nil {
			t.Error("JSON starts sampling")
		}
		if body := text(t, get(t, h, "GET", "/")); !strings.Contains(body, "Collecting") {
			t.Error("sampling does not begin again")
		}
	})
}

// TestBubble sees that a page may be asked for in a synctest bubble, and that the
// handler goes on sampling after it.
func TestBubble(t *testing.T) {
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20))
	defer keepAlive(p)
	h := new(handler)
	samples := func() int { return len(h.sampler.look()[engine.Of(p).ID()]) }
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			get(t, h, "GET", "/")
			time.Sleep(10 * interval)
			synctest.Wait()
			if n := samples(); n != 11 {
				t.Errorf("%d samples after 10 s, want 11", n)
			}
		})
		if n := samples(); n != 1 { // by the real clock
			t.Errorf("%d samples at a first look, want 1", n)
		}
	}
}

// TestLinksKeepTheView sees that a link has all that its page shows.
func TestLinksKeepTheView(t *testing.T) {
	for _, q := range []query{
		{format: "html", refresh: defaultRefresh},
		{format: "html", refresh: 0, sort: "name", open: selection{all: true}},
		{format: "html", refresh: 30, at: "pool-3", open: selection{ids: []uint64{1, 3}}, finding: selection{ids: []uint64{1<<64 - 1}}},
		{format: "pprof", refresh: defaultRefresh, pool: 7},
	} {
		got, err := parse(httptest.NewRequest("GET", "/x"+q.link(), nil))
		if err != nil || !reflect.DeepEqual(got, q) {
			t.Errorf("%s: %+v, %v, want %+v", q.link(), got, err, q)
		}
	}
	s := selection{}.toggle(3).toggle(4).toggle(3)
	if !s.has(4) || s.has(3) {
		t.Errorf("toggled 3, 4, 3: %v", s)
	}
}

// TestQueryIsNotMultiplied sees that a page does not repeat in each link whatever its
// address says: of what is open it has what exists, once.
func TestQueryIsNotMultiplied(t *testing.T) {
	pools := fifty()
	defer keepAlive(pools...)
	page := func(address string) int {
		r := get(t, Handler(), "GET", address)
		if r.StatusCode != 200 {
			t.Fatalf("status %d", r.StatusCode)
		}
		return len(text(t, r))
	}
	id := engine.Of(pools[0]).ID()
	want := page(fmt.Sprintf("/?open=%d", id)) * 11 / 10 // a figure may have changed
	var same, none strings.Builder
	for i := range 4950 { // net/url takes 10,000 parameters at most
		fmt.Fprintf(&same, "&open=%d&finding=7", id)
		fmt.Fprintf(&none, "&open=%d&finding=%d", 1<<30+i, 1<<30+i)
	}
	if n := page("/?" + same.String()); n > want {
		t.Errorf("one pool opened 4,950 times makes a page of %d bytes, opened once of %d", n, want)
	}
	if n := page("/?" + none.String()); n > want {
		t.Errorf("4,950 pools that do not exist make a page of %d bytes, want %d at most", n, want)
	}
}

// plain replaces the spaces between numbers and units.
func plain(s string) string { return strings.ReplaceAll(s, space, " ") }

// A history of one minute, in which counters change evenly.
func minute(now time.Time, from, to point) (h history) {
	for i := range 61 {
		part := func(a, b uint64) uint64 { return a + (b-a)*uint64(i)/60 }
		h = append(h, point{
			at:         now.Add(time.Duration(i-60) * time.Second),
			gets:       part(from.gets, to.gets),
			hits:       part(from.hits, to.hits),
			puts:       part(from.puts, to.puts),
			overBudget: part(from.overBudget, to.overBudget),
			rejected:   part(from.rejected, to.rejected),
			inUse:      from.inUse + (to.inUse-from.inUse)*int64(i)/60,
		})
	}
	return h
}

func TestTroubles(t *testing.T) {
	now := time.Now()
	const mib = 1 << 20
	busy := point{gets: 6000, hits: 5900, puts: 6000, inUse: 10 * mib}
	for _, tt := range []struct {
		name    string
		to      point
		limit   stats.Limit
		misuses int
		want    string // "" for no trouble
	}{
		{"well", busy, stats.Limit{Bytes: 16 * mib, InUse: 10 * mib}, 0, ""},
		{"misuse", busy, stats.Limit{}, 1, "misuse was found"},
		{"near its limit", busy, stats.Limit{Bytes: 16 * mib, InUse: 15 * mib}, 0, "93.7 % of the limit are in use"},
		{"stuck", point{gets: 10, hits: 10, inUse: 10 * mib}, stats.Limit{Bytes: 10 * mib, InUse: 10 * mib}, 0, "nothing was released in 60 s, though 100 % of the limit"},
		{"waiting", busy, stats.Limit{Bytes: 16 * mib, Waiting: 1}, 0, "1 request wait"},
		{"rejecting", point{gets: 6000, hits: 5900, puts: 6000, inUse: 10 * mib, rejected: 2}, stats.Limit{}, 0, "rejected 2 requests"},
		{"growing", point{gets: 6000, hits: 5900, puts: 5000, inUse: 20 * mib}, stats.Limit{}, 0, "bytes in use grew by"},
		{"missing", point{gets: 6000, hits: 2900, puts: 6000, inUse: 10 * mib}, stats.Limit{}, 0, "48.3 % of the gets"},
		{"missing, rarely used", point{gets: 900, hits: 0, puts: 6000, inUse: 10 * mib}, stats.Limit{}, 0, ""},
		{"over budget", point{gets: 6000, hits: 5900, puts: 6000, inUse: 10 * mib, overBudget: 61}, stats.Limit{}, 0, "the budget dropped 1 %"},
		{"a little over budget", point{gets: 6000, hits: 5900, puts: 6000, inUse: 10 * mib, overBudget: 59}, stats.Limit{}, 0, ""},
	} {
		p := pool{stats.Pool{Limit: tt.limit}}
		list := p.troubles(minute(now, point{inUse: 10 * mib}, tt.to), tt.misuses)
		switch {
		case tt.want == "" && len(list) > 0, tt.want != "" && (len(list) != 1 || !strings.Contains(plain(list[0]), tt.want)):
			t.Errorf("%s: %q, want %q", tt.name, list, tt.want)
		}
	}
	more := minute(now, point{inUse: 10 * mib}, point{gets: 6000, inUse: 20 * mib})
	for i := range more { // requests become more frequent, too
		more[i].gets = uint64(i * i)
	}
	if by, yes := more.grows(); yes {
		t.Errorf("growth by %d at a growing rate is trouble", by)
	}
}

// TestLimitIsShown sees what the page says of a limit, a budget and retention.
func TestLimitIsShown(t *testing.T) {
	now := time.Now()
	p := pool{stats.Pool{
		ID: 7, Name: "limited", Options: stats.Options{Budget: 32 << 20, Retain: time.Minute}, Rejected: 3456,
		Limit: stats.Limit{Bytes: 64 << 20, InUse: 60 << 20, Reserved: 1 << 20, Peak: 64 << 20, Waiting: 12},
	}}
	body := string(newPage(now, query{format: "html"}, []pool{p}, nil, nil))
	for _, want := range []string{"<meter", "of 64 MiB, 1 MiB reserved, at most 64 MiB so far", "waiting: 12, rejected: 3,456", "budget 32 MiB", "kept for 1m0s", "12 requests wait", "beside the limit"} {
		if !strings.Contains(plain(body), want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	// The bar is red above high, as optimum is below it, whatever there is room for now.
	p.Limit = stats.Limit{Bytes: 64 << 20, InUse: 1 << 20}
	for rejected, want := range map[uint64]string{0: `high="58720256" optimum="0" value="1048576"`, 9: `high="0" optimum="0" value="1048576"`} {
		h := minute(now, point{}, point{rejected: rejected})
		body := string(newPage(now, query{format: "html"}, []pool{p}, map[uint64]history{7: h}, nil))
		if !strings.Contains(body, want) {
			t.Errorf("%d rejected in the last minute: %q is not on the page", rejected, want)
		}
	}
}

// TestSharedLimitIsShown sees that a limit which pools share is not taken for the pool's own.
func TestSharedLimitIsShown(t *testing.T) {
	l := bytespool.NewLimit(64<<20, bytespool.WithName("memory"))
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("shares"), bytespool.WithSharedLimit(l))
	other := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithSharedLimit(l))
	a, b := p.New(1<<20), other.New(1<<20)
	view := []pool{{p.Stats()}}
	body := plain(string(newPage(time.Now(), query{format: "html"}, view, nil, nil)))
	if want := "limit memory: 2 MiB in use by all pools that share it, of 64 MiB"; !strings.Contains(body, want) {
		t.Errorf("%q is not on the page", want)
	}
	text := string(encode(view, selection{}))
	for _, want := range []string{`"name":"memory"`, `"shared":true`, `"bytes":67108864`, `"in_use_bytes":2097152`, `"in_use_bytes":1048576`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	p.Release(a)
	other.Release(b)
}

// TestCharts sees lines of requests that become twice as frequent in the middle, and of
// half as many hits.
func TestCharts(t *testing.T) {
	now := time.Now()
	var h history
	for i := range 5 {
		h = append(h, point{
			at:    now.Add(time.Duration(i-4) * 15 * time.Second),
			gets:  []uint64{0, 15, 30, 60, 90}[i],
			hits:  []uint64{0, 15, 30, 45, 60}[i],
			inUse: []int64{0, 0, 100, 200, 50}[i],
		})
	}
	for _, c := range []struct {
		chart
		line string
	}{
		{h.rates(now), "30.0,14.0 60.0,14.0 90.0,1.0 120.0,1.0"},
		{h.hitRates(now), "30.0,1.0 60.0,1.0 90.0,14.0 120.0,14.0"},
		{h.inUse(now), "30.0,27.0 60.0,14.0 90.0,1.0 120.0,20.5"},
	} {
		if c.chart.line != c.line || c.area != "30.0,28 "+c.line+" 120.0,28" {
			t.Errorf("%s: the line is %s, want %s; the area is %s", c.label, c.chart.line, c.line, c.area)
		}
	}
}

func TestOrder(t *testing.T) {
	pools := make([]pool, 3)
	pools[0].Name, pools[1].Name, pools[2].Name = "b", "a", "c"
	pools[2].IdleBytes, pools[1].InUseBytes = 10, 5
	pools[1].Gets = 7
	names := regexp.MustCompile(`<span class="name">(.*?)</span>`)
	for sort, want := range map[string]string{"": "bac", "name": "abc", "memory": "cab", "gets": "abc"} {
		var got string
		for _, row := range names.FindAllSubmatch(newPage(time.Now(), query{format: "html", sort: sort}, pools, nil, nil), -1) {
			got += string(row[1])
		}
		if got != want {
			t.Errorf("sort=%s: %s, want %s", sort, got, want)
		}
	}
}

func TestNoPools(t *testing.T) {
	if body := newPage(time.Now(), query{format: "html"}, nil, nil, nil); !strings.Contains(string(body), "There is no pool yet") {
		t.Error("a page without pools does not say so")
	}
	if text := string(encode(nil, selection{})); !strings.Contains(text, `"pools":[]`) || strings.Contains(text, "pressure") {
		t.Errorf("JSON without pools: %s", text)
	}
}

func TestText(t *testing.T) {
	for got, want := range map[string]string{
		size(0):                                 "0 B",
		size(999):                               "999 B",
		size(1023):                              "1 KiB",
		size(1536):                              "1.5 KiB",
		size(64 << 20):                          "64 MiB",
		size(-4096):                             "-4 KiB",
		count(999):                              "999",
		count(1234):                             "1,234",
		count(1_500_000):                        "1.5 M",
		count(12_000_000_000):                   "12 G",
		rate(0):                                 "0",
		rate(1.25):                              "1.2",
		rate(1234.5):                            "1,235",
		percent(1):                              "100 %",
		percent(0.9999):                         "99.9 %",
		plural(1, "slice"):                      "1 slice",
		plural(0, "slice"):                      "0 slices",
		ago(time.Time{}, time.Now()):            "never",
		ago(time.Unix(9e9, 0), time.Unix(0, 0)): "0s ago", // by another clock
		fmt.Sprint(coordinate(1. / 3.)):         "0.3",
		title("a\xff"):                          "a\uFFFD",
		title(""):                               "(unnamed)",
		newChart(time.Now(), nil, 0, "", nil).line: "",
	} {
		if plain(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
