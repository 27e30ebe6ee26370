package poolz

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/check"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// policy allows the page what it has in itself, and to read itself. Its script is known
// by its digest, so that markup in the name of a pool could run nothing, even if it was
// not escaped.
var policy = func() string {
	_, script, _ := strings.Cut(pageText, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// A view is what the page shows, as text.
type view struct {
	Refresh    int // seconds; 0 for never
	Taken      string
	Collecting bool // there is no history yet
	Summary    []figure
	Troubles   []trouble
	Findings   []findingView
	Choices    []choice
	Rows       []row
}

type figure struct{ Name, Value, Note string }

type trouble struct{ Pool, Link, Text string }

type findingView struct {
	Anchor, Link   string
	Focus          bool
	Summary, About string
	Report         string // "" unless it is open
}

// A choice is a row of links, of which one is current.
type choice struct {
	Name  string
	Links []link
}

type link struct {
	Text, To string
	Current  bool
}

// A row is what the page shows of a pool.
type row struct {
	Anchor, Name string
	Troubled     bool
	Open         bool
	Focus        bool   // its first link has the focus
	Toggle       string // link that shows the classes, or hides them
	Profile      string
	Pprof        string

	InUse            string
	InUseChart       chart
	Limit            *meter // nil without a limit
	Idle             string
	IdleNotes        []string
	Rate, RateNote   string
	RateChart        chart
	HitRate, HitNote string
	HitChart         chart
	Drops            []figure
	LastDrop         string

	Classes []classView
}

// A meter is how full something is.
type meter struct {
	Value, Max, High int64
	Text, Note       string
}

type classView struct{ Capacity, Gets, HitRate, Misses, InUse, Idle, Dropped string }

// A poolView is a pool with its history.
type poolView struct {
	*pool
	history
}

// sorters compare pools for the parameter sort.
var sorters = map[string]func(a, b poolView) int{
	"name":   func(a, b poolView) int { return cmp.Compare(a.Name, b.Name) },
	"memory": func(a, b poolView) int { return cmp.Compare(b.InUseBytes+b.IdleBytes, a.InUseBytes+a.IdleBytes) },
	"gets": func(a, b poolView) int {
		return cmp.Or(cmp.Compare(b.change().rate(), a.change().rate()), cmp.Compare(b.Gets, a.Gets))
	},
}

// newView returns what the page that q asks for shows.
func newView(now time.Time, q query, pools []pool, histories map[uint64]history, findings []check.Recent) *view {
	q.open = q.open.of(func(id uint64) bool {
		return slices.ContainsFunc(pools, func(p pool) bool { return p.id == id })
	})
	q.finding = q.finding.of(func(id uint64) bool {
		return slices.ContainsFunc(findings, func(f check.Recent) bool { return f.ID == id })
	})
	v := &view{Refresh: q.refresh, Taken: now.UTC().Format("15:04:05 UTC")}
	misuses := make(map[string]int)
	for _, f := range findings {
		misuses[f.Latest.Pool]++
		v.Findings = append(v.Findings, newFindingView(now, q, f))
	}
	list := make([]poolView, len(pools))
	for i := range pools {
		list[i] = poolView{&pools[i], histories[pools[i].id]}
	}
	if by := sorters[q.sort]; by != nil {
		slices.SortStableFunc(list, by)
	}
	v.Collecting = true
	for _, p := range list {
		if len(p.history) > 1 {
			v.Collecting = false
		}
		r := newRow(now, q, p)
		for _, text := range p.troubles(p.history, misuses[p.Name]) {
			to := q
			to.at = r.Anchor
			v.Troubles = append(v.Troubles, trouble{r.Name, to.link(), text})
			r.Troubled = true
		}
		v.Rows = append(v.Rows, r)
	}
	if v.Collecting && v.Refresh > 1 {
		v.Refresh = 2
	}
	v.Summary = summary(now, pools)
	v.Choices = q.choices()
	return v
}

// summary returns what is true of all pools together.
func summary(now time.Time, pools []pool) []figure {
	var inUse, idle int64
	for i := range pools {
		inUse += pools[i].InUseBytes
		idle += pools[i].IdleBytes
	}
	checking := figure{"checked mode", check.Current().String(), plural(check.Findings(), "finding")}
	if check.Current() == check.Sample {
		checking.Note += fmt.Sprintf(", one request in %d or fewer is tracked", check.Settings().OneIn)
	}
	list := []figure{
		{"pools", strconv.Itoa(len(pools)), ""},
		{"in use", size(inUse), ""},
		{"idle", size(idle), ""},
		checking,
	}
	if len(pools) == 0 {
		return list
	}
	memory := figure{"memory limit", "none", "GOMEMLIMIT is not set"}
	switch p := pools[0].Pressure; { // the same for all
	case p.At.IsZero():
		memory = figure{"memory limit", "not looked at yet", "it is, after a collection that finds idle memory"}
	case p.Limit < math.MaxInt64:
		memory.Value = size(p.Limit)
		memory.Note = fmt.Sprintf("pools may keep %s idle; live heap %s, looked at %s", size(p.Keep), size(p.Live), ago(p.At, now))
	}
	return append(list, memory)
}

func newFindingView(now time.Time, q query, f check.Recent) findingView {
	v := findingView{
		Anchor:  "finding-" + strconv.FormatUint(f.ID, 10),
		Summary: f.Latest.Summary(),
		About:   fmt.Sprintf("pool %s, %s of %d bytes, %s, last %s", title(f.Latest.Pool), f.Latest.Object, f.Latest.Size, plural(uint64(f.Times), "time"), ago(f.Last, now)),
	}
	if q.finding.has(f.ID) {
		v.Report = f.Latest.Error()
	}
	v.Focus = q.at == v.Anchor
	q.finding, q.at = q.finding.toggle(f.ID), v.Anchor
	v.Link = q.link()
	return v
}

// choices returns the links that change the whole page.
func (q query) choices() []choice {
	q.at = ""
	order := choice{Name: "order"}
	for _, s := range []struct{ text, sort string }{{"age", ""}, {"name", "name"}, {"memory", "memory"}, {"gets/s", "gets"}} {
		to := q
		to.sort = s.sort
		order.Links = append(order.Links, link{s.text, to.link(), q.sort == s.sort})
	}
	refresh := choice{Name: "refresh"}
	for _, s := range []struct {
		text    string
		seconds int
	}{{"off", 0}, {"1 s", 1}, {"5 s", defaultRefresh}, {"30 s", 30}} {
		to := q
		to.refresh = s.seconds
		refresh.Links = append(refresh.Links, link{s.text, to.link(), q.refresh == s.seconds})
	}
	classes := choice{Name: "classes"}
	all, none := q, q
	all.open, none.open = selection{all: true}, selection{}
	classes.Links = []link{{"all", all.link(), q.open.all}, {"none", none.link(), q.open.empty()}}
	return []choice{order, refresh, classes, {"as", []link{
		{"JSON", query{format: "json", refresh: defaultRefresh}.link(), false},
		{"profile", query{format: "profile", refresh: defaultRefresh}.link(), false},
		{"pprof", query{format: "pprof", refresh: defaultRefresh}.link(), false},
	}}}
}

func newRow(now time.Time, q query, p poolView) row {
	r := row{
		Anchor:  "pool-" + strconv.FormatUint(p.id, 10),
		Name:    title(p.Name),
		Open:    q.open.has(p.id),
		Profile: query{format: "profile", pool: p.id, refresh: defaultRefresh}.link(),
		Pprof:   query{format: "pprof", pool: p.id, refresh: defaultRefresh}.link(),
		InUse:   size(p.InUseBytes),
		Idle:    size(p.IdleBytes),
		HitNote: "misses: " + count(p.Misses),
	}
	if !q.open.all { // or there is no way to close one alone
		to := q
		to.open, to.at = q.open.toggle(p.id), r.Anchor
		r.Toggle = to.link()
	}
	r.Focus = q.at == r.Anchor
	r.use(now, p)
	r.traffic(now, p)
	for _, d := range p.drops() {
		if d.slices > 0 {
			r.Drops = append(r.Drops, figure{Name: d.text, Value: count(d.slices)})
		}
	}
	if !p.LastDrop.IsZero() {
		r.LastDrop = ago(p.LastDrop, now)
	}
	if r.Open {
		for _, c := range p.Classes {
			r.Classes = append(r.Classes, newClassView(c))
		}
	}
	return r
}

// use fills in what r says of memory.
func (r *row) use(now time.Time, p poolView) {
	r.InUseChart = newChart(now, p.history, 0, "bytes in use over the last minute", func(_, p point) (float64, bool) {
		return float64(max(p.inUse, 0)), true
	})
	if l := p.Limit; l.Limit > 0 {
		r.Limit = &meter{
			Value: l.InUse,
			Max:   l.Limit,
			High:  int64(nearLimit * float64(l.Limit)),
			Text:  fmt.Sprintf("of %s, %s reserved, at most %s so far", size(l.Limit), size(l.Reserved), size(l.Peak)),
			Note:  fmt.Sprintf("waiting: %d, rejected: %s", l.Waiting, count(l.Rejected)),
		}
	}
	if p.Budget > 0 {
		r.IdleNotes = append(r.IdleNotes, "budget "+size(p.Budget))
	}
	if p.Retain > 0 {
		r.IdleNotes = append(r.IdleNotes, "kept for "+p.Retain.String())
	}
}

// traffic fills in what r says of requests.
func (r *row) traffic(now time.Time, p poolView) {
	r.Rate, r.HitRate = "collecting", "collecting"
	if len(p.history) > 1 {
		c := p.change()
		r.Rate, r.HitRate = rate(c.rate()), "no gets"
		if share, ok := c.hitRate(); ok {
			r.HitRate = percent(share)
		}
	}
	r.RateNote = count(p.Gets) + " in all"
	if p.OutGets > 0 {
		r.RateNote += ", and " + count(p.OutGets) + " above the largest size"
	}
	r.RateChart = newChart(now, p.history, 0, "gets per second over the last minute", func(a, b point) (float64, bool) {
		return a.until(b).rate(), true
	})
	r.HitChart = newChart(now, p.history, 1, "hit rate over the last minute", func(a, b point) (float64, bool) {
		return a.until(b).hitRate()
	})
}

func newClassView(c bytespool.ClassStats) classView {
	d := c.Dropped
	v := classView{
		Capacity: size(int64(c.Capacity)),
		Gets:     count(c.Gets),
		Misses:   count(c.Misses),
		InUse:    strconv.FormatInt(c.InUse, 10),
		Idle:     size(c.IdleBytes),
		Dropped:  count(d.OverBudget + d.OverBound + d.Aged + d.Pressure + d.Trimmed),
	}
	if c.Gets > 0 {
		v.HitRate = percent(float64(c.Hits) / float64(c.Gets))
	}
	return v
}
