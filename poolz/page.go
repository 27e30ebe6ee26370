package poolz

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/figures"
)

//go:embed head.html
var head string

// policy allows the page what it has in itself, and to read itself. Its script is known
// by its digest, so that markup in the name of a pool could run nothing, even if it was
// not escaped.
var policy = func() string {
	_, script, _ := strings.Cut(head, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// A page is what a request for it is answered with.
type page struct {
	markup
	query
	now time.Time
}

// A poolView is a pool with its history.
type poolView struct {
	*pool
	history
	troubles []string
}

// anchor is the name of the pool's row.
func (p *pool) anchor() string { return "pool-" + strconv.FormatUint(p.ID, 10) }

// sorters compare pools for the parameter sort.
var sorters = map[string]func(a, b poolView) int{
	"name":   func(a, b poolView) int { return cmp.Compare(a.Name, b.Name) },
	"memory": func(a, b poolView) int { return cmp.Compare(b.InUseBytes+b.IdleBytes, a.InUseBytes+a.IdleBytes) },
	"gets": func(a, b poolView) int {
		return cmp.Or(cmp.Compare(b.change().rate(), a.change().rate()), cmp.Compare(b.Gets, a.Gets))
	},
}

// newPage returns the page that q asks for.
func newPage(now time.Time, q query, pools []pool, histories map[uint64]history, findings []check.Recent) []byte {
	q.open = q.open.of(func(id uint64) bool {
		return slices.ContainsFunc(pools, func(p pool) bool { return p.ID == id })
	})
	q.finding = q.finding.of(func(id uint64) bool {
		return slices.ContainsFunc(findings, func(f check.Recent) bool { return f.ID == id })
	})
	misuses := make(map[string]int)
	for _, f := range findings {
		misuses[f.Latest.Pool]++
	}
	collecting := true
	list := make([]poolView, len(pools))
	for i := range pools {
		h := histories[pools[i].ID]
		list[i] = poolView{&pools[i], h, pools[i].troubles(h, misuses[pools[i].Name])}
		collecting = collecting && len(h) < 2
	}
	if by := sorters[q.sort]; by != nil {
		slices.SortStableFunc(list, by)
	}
	refresh := q.refresh
	if collecting && refresh > 1 {
		refresh = 2
	}

	p := &page{query: q, now: now}
	p.WriteString(head)
	if refresh > 0 {
		p.add("<noscript><meta http-equiv=\"refresh\" content=\"%d\"></noscript>\n", refresh)
	}
	p.add("</head>\n<body data-refresh=\"%d\">\n<h1>Pools</h1>\n", refresh)
	p.summary(pools)
	p.choices()
	if collecting {
		p.add("<p role=\"status\">Collecting: rates and charts appear after two seconds, and cover a minute after a minute.</p>\n")
	}
	p.attention(list)
	p.findings(findings)
	p.table(list)
	p.add("<p><small>Taken at %s. Counts are since a pool was made, rates and charts over the last minute at most.</small></p>\n</body>\n</html>\n",
		now.UTC().Format("15:04:05 UTC"))
	return p.Bytes()
}

// summary shows what is true of all pools together.
func (p *page) summary(pools []pool) {
	figure := func(name, value, note string) {
		p.add("<div><dt>%s</dt><dd>%s", name, value)
		p.note(note)
		p.add("</dd></div>\n")
	}
	var inUse, idle int64
	for i := range pools {
		inUse += pools[i].InUseBytes
		idle += pools[i].IdleBytes
	}
	p.add("<dl class=\"summary\">\n")
	figure("pools", strconv.Itoa(len(pools)), "")
	figure("in use", size(inUse), "")
	figure("idle", size(idle), "")
	found := plural(check.Findings(), "finding")
	if check.Current() == check.Sample {
		found += fmt.Sprintf(", one request in %d or fewer is tracked", check.Settings().OneIn)
	}
	figure("checked mode", check.Current().String(), found)
	if len(pools) > 0 {
		if l := pools[0].Pressure; l.At.IsZero() { // the same for all
			figure("memory limit", "not looked at yet", "it is, after a collection that finds idle memory")
		} else {
			limit := "none"
			if l.Limit < math.MaxInt64 {
				limit = size(l.Limit)
			}
			note := fmt.Sprintf("pools may retain %s unused; %s in use lately, live heap %s, other memory %s, looked at %s", size(l.Retain), size(l.Used), size(l.Live), size(l.NotHeap), ago(l.At, p.now))
			if l.GCLimitedCycle > 0 {
				note += fmt.Sprintf("; the limit is too low: collection %d had too little processor time", l.GCLimitedCycle)
			}
			figure("memory limit", limit, note)
		}
	}
	p.add("</dl>\n")
}

// note shows a text in small print, unless it is empty.
func (p *page) note(text string) {
	if text != "" {
		p.add(`<span class="note">%s</span>`, text)
	}
}

// choices shows the links that change the whole page.
func (p *page) choices() {
	begin := func(name string) { p.add("<span>%s:", name) }
	end := func() { p.add("</span>\n") }
	link := func(text string, to query, current bool) {
		to.at = ""
		p.add(` <a href="%s"%s>%s</a>`, to.link(), when(current, ` aria-current="true"`), text)
	}
	p.add("<nav aria-label=\"View\">\n")
	begin("order")
	for _, s := range []struct{ text, sort string }{{"age", ""}, {"name", "name"}, {"memory", "memory"}, {"gets/s", "gets"}} {
		to := p.query
		to.sort = s.sort
		link(s.text, to, p.sort == s.sort)
	}
	end()
	begin("refresh")
	for _, s := range []struct {
		text    string
		seconds int
	}{{"off", 0}, {"1 s", 1}, {"5 s", defaultRefresh}, {"30 s", 30}} {
		to := p.query
		to.refresh = s.seconds
		link(s.text, to, p.refresh == s.seconds)
	}
	end()
	begin("details")
	all, none := p.query, p.query
	all.open, none.open = selection{all: true}, selection{}
	link("all", all, p.open.all)
	link("none", none, p.open.empty())
	end()
	begin("as")
	for _, s := range []struct{ text, format string }{{"JSON", "json"}, {"profile", "profile"}, {"pprof", "pprof"}} {
		link(s.text, query{format: s.format, refresh: defaultRefresh}, false)
	}
	end()
	p.add("</nav>\n")
}

// attention names the pools that need it.
func (p *page) attention(list []poolView) {
	if !slices.ContainsFunc(list, func(v poolView) bool { return v.troubles != nil }) {
		return
	}
	p.add("<section class=\"attention\">\n<h2>Needs attention</h2>\n<ul>\n")
	for _, v := range list {
		to := p.query
		to.at = v.anchor()
		for _, text := range v.troubles {
			p.add("<li><a href=\"%s\">%s</a>: %s</li>\n", to.link(), title(v.Name), text)
		}
	}
	p.add("</ul>\n</section>\n")
}

// findings shows what checked mode found.
func (p *page) findings(findings []check.Recent) {
	if len(findings) == 0 {
		return
	}
	p.add("<section class=\"findings\">\n<h2>Found by checked mode</h2>\n<ul>\n")
	for _, f := range findings {
		r := f.Latest
		open := p.finding.has(f.ID)
		to := p.query
		to.finding, to.at = p.finding.toggle(f.ID), "finding-"+strconv.FormatUint(f.ID, 10)
		p.add(`<li id="%s"><a href="%s"%s aria-expanded="%t">%s</a> <small>pool %s, %s of %d bytes, %s, last %s</small>`,
			to.at, to.link(), when(p.at == to.at, " autofocus"), open, r.Summary(),
			title(r.Pool), r.Object, r.Size, plural(uint64(f.Times), "time"), ago(f.Last, p.now))
		if open {
			p.add(`<pre tabindex="0">%s</pre>`, r.Error())
		}
		p.add("</li>\n")
	}
	p.add("</ul>\n</section>\n")
}

// table shows the pools.
func (p *page) table(list []poolView) {
	if len(list) == 0 {
		p.add("<p>There is no pool yet. Package bytespool makes one with NewPool or NewBufPool.</p>\n")
		return
	}
	p.add("<table class=\"pools\" role=\"table\">\n<caption class=\"visually-hidden\">All pools</caption>\n<thead role=\"rowgroup\"><tr role=\"row\">")
	for _, name := range []string{"pool", "in use", "idle", "gets per second", "hit rate", "drops"} {
		p.add(`<th role="columnheader" scope="col">%s</th>`, name)
	}
	p.add("</tr></thead>\n<tbody role=\"rowgroup\">\n")
	for _, v := range list {
		p.row(v)
		if p.open.has(v.ID) {
			p.details(v)
		}
	}
	p.add("</tbody>\n</table>\n")
}

// row shows a pool.
func (p *page) row(v poolView) {
	p.add("<tr role=\"row\" id=\"%s\"%s>\n", v.anchor(), when(v.troubles != nil, ` class="troubled"`))
	p.add(`<th role="rowheader" scope="row"><span class="name">%s</span> <span class="links">`, title(v.Name))
	focus := when(p.at == v.anchor(), " autofocus")
	if !p.open.all { // or there is no way to close one alone
		to, open := p.query, p.open.has(v.ID)
		to.open, to.at = p.open.toggle(v.ID), v.anchor()
		p.add(`<a href="%s"%s aria-expanded="%t">%sdetails</a> · `, to.link(), focus, open, when(open, "hide "))
		focus = ""
	}
	profile := query{format: "profile", pool: v.ID, refresh: defaultRefresh}
	pprof := profile
	pprof.format = "pprof"
	p.add("<a href=\"%s\"%s>profile</a> · <a href=\"%s\">pprof</a></span></th>\n", profile.link(), focus, pprof.link())

	p.cell("in use", size(v.InUseBytes))
	if l := v.Limit; l.Bytes > 0 {
		text := fmt.Sprintf("of %s, %s reserved, at most %s so far", size(l.Bytes), size(l.Reserved), size(l.Peak))
		if l.Shared {
			text = fmt.Sprintf("limit %s: %s in use by all pools that share it, %s", title(l.Name), size(l.InUse), text)
		}
		high, value := int64(nearLimit*float64(l.Bytes)), l.InUse
		if v.history.change().rejected > 0 { // though there was room when the page looked
			high, value = 0, max(value, 1)
		}
		p.add(`<meter min="0" max="%d" high="%d" optimum="0" value="%d">%s</meter>`, l.Bytes, high, value, text)
		p.note(text)
		p.note(fmt.Sprintf("waiting: %d, rejected: %s", l.Waiting, count(v.Rejected)))
	}
	p.chart(v.history.inUse(p.now))
	p.add("</td>\n")

	p.cell("idle", size(v.IdleBytes))
	if v.Budget > 0 {
		p.note("budget " + size(v.Budget))
	}
	if v.Limit.Bytes > 0 {
		p.note("beside the limit, which is on what is in use")
	}
	if v.Retain > 0 {
		p.note("kept for " + v.Retain.String())
	}
	p.add("</td>\n")

	p.traffic(v)
	p.drops(v)
	p.add("</tr>\n")
}

// cell begins a cell. Its name is shown where the page is narrow.
func (p *page) cell(name, value string) {
	p.add(`<td role="cell" data-label="%s"><span class="value">%s</span>`, name, value)
}

// traffic shows the requests for a pool.
func (p *page) traffic(v poolView) {
	gets, hits := "collecting", "collecting"
	if len(v.history) > 1 {
		c := v.change()
		gets, hits = rate(c.rate()), "no gets"
		if share, ok := c.hitRate(); ok {
			hits = percent(share)
		}
	}
	p.cell("gets per second", gets)
	p.chart(v.history.rates(p.now))
	all := count(v.Gets) + " in all"
	if v.OutGets > 0 {
		all += ", and " + count(v.OutGets) + " above the largest size"
	}
	p.note(all)
	p.add("</td>\n")

	p.cell("hit rate", hits)
	p.chart(v.history.hitRates(p.now))
	p.note("misses: " + count(v.Misses))
	p.add("</td>\n")
}

// drops shows how many slices of a pool were dropped, by reason.
func (p *page) drops(v poolView) {
	p.add(`<td role="cell" data-label="drops">`)
	none := true
	drop := func(reason string, slices int64) {
		if slices > 0 {
			p.note(reason + ": " + count(uint64(slices)))
			none = false
		}
	}
	for _, f := range figures.Drops {
		drop(words(f.Name), f.Value(&v.Dropped))
	}
	drop("too small", int64(v.TooSmall))
	drop("too large", int64(v.TooLarge))
	if none {
		p.note("none")
	}
	if !v.LastDrop.IsZero() {
		p.note("last " + ago(v.LastDrop, p.now))
	}
	p.add("</td>\n")
}

// details shows the classes of a pool, and all its figures.
func (p *page) details(v poolView) {
	p.add("<tr role=\"row\" class=\"details\"><td role=\"cell\" colspan=\"6\"><div class=\"inner\" tabindex=\"0\">\n")
	if len(v.Classes) == 0 {
		p.add("<p>No class was used yet.</p>\n")
	} else {
		p.classes(v)
	}
	p.add("<dl class=\"summary\">\n")
	listed(p, "", figures.Pools, &v.Pool)
	if v.Limit.Bytes > 0 {
		listed(p, "limit", figures.Limits, &v.Limit)
	}
	for _, f := range figures.Drops {
		if n := f.Value(&v.Dropped); n > 0 {
			p.listed("dropped, "+words(f.Name), f.Help, count(uint64(n))+", "+size(f.Value(&v.DroppedBytes)))
		}
	}
	p.add("</dl>\n</div></td></tr>\n")
}

// listed adds what a table has of v to a list.
func listed[T any](p *page, prefix string, table []figures.Figure[T], v *T) {
	for i := range table {
		f := &table[i]
		p.listed(strings.TrimSpace(prefix+" "+words(f.Name)), f.Help, shown(f, f.Value(v), p.now))
	}
}

func (p *page) listed(name, help, value string) {
	p.add("<div title=\"%s\"><dt>%s</dt><dd>%s</dd></div>\n", help, name, value)
}

// classes shows the classes of a pool.
func (p *page) classes(v poolView) {
	p.add("<table>\n<caption class=\"visually-hidden\">Classes of %s</caption>\n<thead><tr>", title(v.Name))
	column := func(name, help string) { p.add(`<th scope="col" title="%s">%s</th>`, help, name) }
	column("class", "Bytes of a slice.")
	for _, f := range figures.Classes {
		column(words(f.Name), f.Help)
	}
	column("hit rate", "Hits of all gets.")
	column("dropped", "Slices that were released and not kept.")
	p.add("</tr></thead>\n<tbody>\n")
	for i := range v.Classes {
		p.class(&v.Classes[i])
	}
	p.add("</tbody>\n</table>\n")
}

func (p *page) class(c *stats.Class) {
	p.add(`<tr><th scope="row">%s</th>`, size(int64(c.Capacity)))
	for i := range figures.Classes {
		f := &figures.Classes[i]
		p.add("<td>%s</td>", shown(f, f.Value(c), p.now))
	}
	hits := ""
	if c.Gets > 0 {
		hits = percent(float64(c.Hits) / float64(c.Gets))
	}
	dropped := int64(0)
	for _, f := range figures.Drops {
		dropped += f.Value(&c.Dropped)
	}
	p.add("<td>%s</td><td>%s</td></tr>\n", hits, count(uint64(dropped)))
}
