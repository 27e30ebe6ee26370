package octetprom

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/testenv"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// serve returns the address of a server that is to be scraped.
func serve(t testing.TB, opts ...Option) string {
	t.Helper()
	r := prometheus.NewPedanticRegistry() // checks what collectors promise
	r.MustRegister(NewCollector(opts...))
	s := httptest.NewServer(promhttp.HandlerFor(r, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError}))
	t.Cleanup(s.Close)
	if problems, err := testutil.GatherAndLint(r); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
	return s.URL
}

// scrape returns the samples at an address by their names with labels. All of the
// answer is parsed as Prometheus does it.
func scrape(t testing.TB, url string) map[string]string {
	t.Helper()
	const findings = "# HELP octet_findings_total Misuse of pooled memory that package checked has found.\n# TYPE octet_findings_total counter\noctet_findings_total 0\n"
	if err := testutil.ScrapeAndCompare(url, strings.NewReader(findings), "octet_findings_total"); err != nil {
		t.Fatal(err)
	}
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	samples := make(map[string]string)
	for line := range strings.Lines(string(body)) {
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			samples[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	return samples
}

// want compares samples. A sample that is "" must not be there.
func want(t *testing.T, samples, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if samples[name] != value {
			t.Errorf("%s is %q, want %q", name, samples[name], value)
		}
	}
}

// use takes and releases a slice of 1 KiB.
func use(p *bytespool.Pool, times int) {
	for range times {
		p.Release(p.New(1 << 10))
	}
}

func TestScrape(t *testing.T) {
	testenv.Quietly(t)
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("scraped"), bytespool.WithLimit(64<<10))
	held := p.New(4096)
	use(p, 10)
	p.Release(make([]byte, 1))
	p.Release(p.New(4 << 20))
	url := serve(t)
	want(t, scrape(t, url), map[string]string{
		`octet_pool_gets_total{pool="scraped"}`:                         "11",
		`octet_pool_hits_total{pool="scraped"}`:                         "9",
		`octet_pool_misses_total{pool="scraped"}`:                       "2",
		`octet_pool_puts_total{pool="scraped"}`:                         "10",
		`octet_pool_rejected_total{pool="scraped"}`:                     "0",
		`octet_pool_too_small_total{pool="scraped"}`:                    "1",
		`octet_pool_too_large_total{pool="scraped"}`:                    "1",
		`octet_pool_out_gets_total{pool="scraped"}`:                     "1",
		`octet_pool_retain_seconds{pool="scraped"}`:                     "1",
		`octet_pool_budget_bytes{pool="scraped"}`:                       "",
		`octet_pool_dropped_total{pool="scraped",reason="over_budget"}`: "0",
		`octet_pool_dropped_total{pool="scraped",reason="over_bound"}`:  "0",
		`octet_pool_dropped_total{pool="scraped",reason="aged"}`:        "0",
		`octet_pool_dropped_total{pool="scraped",reason="trimmed"}`:     "0",
		`octet_pool_dropped_bytes_total{pool="scraped",reason="aged"}`:  "0",
		`octet_pool_in_use_bytes{pool="scraped"}`:                       "4096",
		`octet_pool_idle_bytes{pool="scraped"}`:                         "1024",
		`octet_limit_bytes{limit="scraped"}`:                            "65536",
		`octet_limit_waiting{limit="scraped"}`:                          "0",
		`octet_pool_class_gets_total{capacity="1024",pool="scraped"}`:   "",
	})
	p.Release(held)
	use(p, 1)
	want(t, scrape(t, url), map[string]string{
		`octet_pool_gets_total{pool="scraped"}`:   "12",
		`octet_pool_in_use_bytes{pool="scraped"}`: "0",
	})
	runtime.KeepAlive(p)
}

// TestDocumentation sees that there are the metrics that the package documentation names,
// and that a scrape has those of memory.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("octetprom.go")
	if err != nil {
		t.Fatal(err)
	}
	all := newCollector()
	all.withClasses()
	has := described(all)
	documented := regexp.MustCompile(`octet_\w+[a-z]`).FindAllString(string(text), -1)
	if len(documented) < 20 {
		t.Fatalf("the documentation names %q", documented)
	}
	for _, name := range documented {
		if !has[name] {
			t.Errorf("the documentation names %s, which is no metric", name)
		}
	}
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20))
	url := serve(t)
	scrapeUntil(t, url, func(s map[string]string) bool {
		use(p, 1)
		return s["octet_pressure_retain_bytes"] != "" && s["octet_pressure_at_timestamp_seconds"] != ""
	})
}

func TestSharedLimit(t *testing.T) {
	runtime.GC()
	l := bytespool.NewLimit(16<<10, bytespool.WithName("together"))
	a := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("one"), bytespool.WithSharedLimit(l))
	b := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("other"), bytespool.WithSharedLimit(l))
	held, _ := a.TryNew(8 << 10)
	r, _ := b.TryReserve(4 << 10)
	b.TryNew(8 << 10)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan bool)
	go func() { b.Acquire(ctx, 8<<10); close(left) }()
	testenv.Eventually(t, "a request waits", func() bool { return b.Stats().Limit.Waiting == 1 })
	want(t, scrape(t, serve(t)), map[string]string{
		`octet_limit_bytes{limit="together"}`:          "16384",
		`octet_limit_in_use_bytes{limit="together"}`:   "8192",
		`octet_limit_reserved_bytes{limit="together"}`: "4096",
		`octet_limit_waiting{limit="together"}`:        "1",
		`octet_limit_rejected_total{limit="together"}`: "1",
		`octet_limit_bytes{limit="one"}`:               "",
		`octet_pool_in_use_bytes{pool="one"}`:          "8192",
		`octet_pool_in_use_bytes{pool="other"}`:        "0",
		`octet_pool_rejected_total{pool="one"}`:        "0",
		`octet_pool_rejected_total{pool="other"}`:      "1",
	})
	leave()
	<-left
	a.Release(held)
	r.Release()
}

// TestNames sees that no name breaks a scrape, and that equal ones are added up.
func TestNames(t *testing.T) {
	testenv.Quietly(t)
	var pools []*bytespool.Pool
	unnamed := uint64(3)
	for p := range bytespool.Pools() {
		if p.Stats().Name == "" { // another test's, which is not collected before the end of this one
			unnamed += p.Stats().Gets
			pools = append(pools, p)
		}
	}
	for _, name := range []string{"twice", "twice", "", "a\xffb", "a\xfeb", "quote\" back\\ new\nline", strings.Repeat("long", 1000)} {
		p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName(name))
		use(p, 3)
		pools = append(pools, p)
	}
	want(t, scrape(t, serve(t, WithClasses())), map[string]string{
		`octet_pool_gets_total{pool="twice"}`:                         "6",
		`octet_pool_idle_bytes{pool="twice"}`:                         "2048",
		`octet_pool_gets_total{pool="unnamed"}`:                       strconv.FormatUint(unnamed, 10),
		"octet_pool_gets_total{pool=\"a\uFFFDb\"}":                    "6",
		`octet_pool_gets_total{pool="quote\" back\\ new\nline"}`:      "3",
		`octet_pool_class_gets_total{capacity="1024",pool="twice"}`:   "6",
		`octet_pool_class_hits_total{capacity="1024",pool="twice"}`:   "4",
		`octet_pool_class_misses_total{capacity="1024",pool="twice"}`: "2",
		`octet_pool_class_puts_total{capacity="1024",pool="twice"}`:   "6",
		`octet_pool_class_in_use{capacity="1024",pool="twice"}`:       "0",
		`octet_pool_class_idle_bytes{capacity="1024",pool="twice"}`:   "2048",
	})
	runtime.KeepAlive(pools)
}

// TestPoolsGo sees that counters of a name do not decrease when one of its pools is
// collected, that gauges do, and that the metrics of a name end with its last pool.
func TestPoolsGo(t *testing.T) {
	testenv.Quietly(t)
	stay := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("goes"), bytespool.WithRetain(time.Hour))
	use(stay, 2)
	url := serve(t, WithClasses())
	func() {
		gone := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("goes"))
		use(gone, 5)
		gone.Release(gone.New(2048))
		want(t, scrape(t, url), map[string]string{
			`octet_pool_gets_total{pool="goes"}`:                       "8",
			`octet_pool_idle_bytes{pool="goes"}`:                       "4096",
			`octet_pool_class_idle_bytes{capacity="2048",pool="goes"}`: "2048",
		})
		runtime.KeepAlive(gone)
	}()
	samples := scrapeUntil(t, url, func(s map[string]string) bool { return s[`octet_pool_idle_bytes{pool="goes"}`] == "1024" })
	want(t, samples, map[string]string{
		`octet_pool_gets_total{pool="goes"}`:                       "8",
		`octet_pool_class_idle_bytes{capacity="2048",pool="goes"}`: "0",
	})
	use(stay, 1)
	want(t, scrape(t, url), map[string]string{`octet_pool_gets_total{pool="goes"}`: "9"})
	runtime.KeepAlive(stay)
	scrapeUntil(t, url, func(s map[string]string) bool {
		for name := range s {
			if strings.Contains(name, `pool="goes"`) {
				return false
			}
		}
		return true
	})
}

// scrapeUntil collects garbage until a scrape is as wanted.
func scrapeUntil(t *testing.T, url string, good func(map[string]string) bool) map[string]string {
	t.Helper()
	for began := time.Now(); ; {
		runtime.GC()
		if s := scrape(t, url); good(s) {
			return s
		} else if time.Since(began) > 20*time.Second {
			t.Fatalf("after 20 s: %v", s)
		}
	}
}

func TestAdvance(t *testing.T) {
	before := int64(10)
	for _, step := range []struct {
		now int64
		by  float64
	}{{10, 0}, {15, 5}, {12, 0}, {16, 1}} {
		if by := advance(&before, step.now); by != step.by {
			t.Errorf("at %d: advanced by %v, want %v", step.now, by, step.by)
		}
	}
}

// TestConcurrentScrapes sees that scrapes at a time count nothing twice.
func TestConcurrentScrapes(t *testing.T) {
	runtime.GC()
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("concurrent"))
	url := serve(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				use(p, 10)
				if r, err := http.Get(url); err != nil {
					t.Error(err)
				} else {
					io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
			}
		})
	}
	wg.Wait()
	want(t, scrape(t, url), map[string]string{`octet_pool_gets_total{pool="concurrent"}`: "800"})
	runtime.KeepAlive(p)
}

// fifty returns as many pools, used in four classes.
func fifty() (pools []*bytespool.Pool) {
	for i := range 50 {
		p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName(fmt.Sprint("pool ", i)))
		for size := 1 << 10; size <= 64<<10; size *= 4 {
			p.Release(p.New(size))
		}
		pools = append(pools, p)
	}
	return pools
}

// scraper returns a function that gathers and encodes all metrics.
func scraper(opts ...Option) func() {
	r := prometheus.NewRegistry()
	r.MustRegister(NewCollector(opts...))
	h := promhttp.HandlerFor(r, promhttp.HandlerOpts{DisableCompression: true})
	request := httptest.NewRequest("GET", "/metrics", nil)
	return func() { h.ServeHTTP(discard{http.Header{}}, request) }
}

// discard is an answer that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}

// TestAllocations pins what a scrape allocates for a pool that uses four classes.
func TestAllocations(t *testing.T) {
	testenv.PlainBuild(t)
	testenv.Quietly(t) // or pools of other tests go meanwhile
	pools := fifty()
	n := testing.AllocsPerRun(20, scraper())
	alive := 0
	for range bytespool.Pools() { // with those of other tests
		alive++
	}
	if per := n / float64(alive); per >= 100 {
		t.Errorf("%.1f allocations a pool, of %d pools, want less than 100", per, alive)
	}
	runtime.KeepAlive(pools)
}

// BenchmarkScrape shows what a scrape of 50 pools takes.
func BenchmarkScrape(b *testing.B) {
	pools := fifty()
	for name, opts := range map[string][]Option{"classes=no": nil, "classes=yes": {WithClasses()}} {
		b.Run(name, func(b *testing.B) {
			scrape := scraper(opts...)
			b.ReportAllocs()
			for b.Loop() {
				scrape()
			}
		})
	}
	runtime.KeepAlive(pools)
}
