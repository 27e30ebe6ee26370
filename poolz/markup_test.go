package poolz

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
)

// FuzzEscaping has texts from outside, wherever a page has them. They must be shown, and
// add none of the characters that begin or end a tag or the value of an attribute.
func FuzzEscaping(f *testing.F) {
	now := time.Now()
	page := func(name, what, object, at string) string {
		p := pool{stats.Pool{
			ID:   1,
			Name: name, Limit: stats.Limit{Bytes: 10, InUse: 10, Waiting: 1},
			Classes: []stats.Class{{Capacity: 64, Gets: 1}},
		}}
		r := check.Recent{ID: 1, Times: 1, Latest: &finding.Report{Code: "OCT003", What: what, Object: object, Pool: name}}
		q := query{open: selection{ids: []uint64{1}}, finding: selection{ids: []uint64{1}}, at: at}
		_, body, _ := strings.Cut(string(newPage(now, q, []pool{p}, map[uint64]history{1: minute(now, point{}, point{gets: 60})}, []check.Recent{r})), "</head>")
		return body
	}
	marks := func(page string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(`<>"'`, r) {
				return r
			}
			return -1
		}, page)
	}
	harmless := page("x", "x", "x", "x")
	if bad := regexp.MustCompile(`<[^>]* [a-z-]+=[^"][^>]*>`).FindString(harmless); bad != "" {
		f.Errorf("a value is not in quotes: %s", bad)
	}
	if away := regexp.MustCompile(`(href|src)="[^?"][^"]*"`).FindString(harmless); away != "" {
		f.Errorf("a link leads away from the page: %s", away)
	}
	for _, s := range []string{
		"", "x", `<script>alert("x")</script>' onload=x`, `"><img src=x onerror=alert(1)>`, `" autofocus onfocus="x`,
		"</pre><script>", "<!--", "-->", "&lt;script&gt;", "&#60;b>", "a\xff\x00b", "\x00", "`", "' onload='x", "%s %!d", "{{.}}", "\u2028<\r\n>",
	} {
		f.Add(s, s, s, s)
	}
	f.Fuzz(func(t *testing.T, name, what, object, at string) {
		got := page(name, what, object, at)
		if marks(got) != marks(harmless) {
			t.Errorf("texts are part of the markup:\n%s", got)
		}
		for _, s := range []string{title(name), what, object} {
			if s = strings.ReplaceAll(s, "\x00", "\uFFFD"); !strings.Contains(html.UnescapeString(got), s) {
				t.Errorf("%q is not shown", s)
			}
		}
		if got, want := escape(name), template.HTMLEscapeString(name); got != want {
			t.Errorf("escape(%q) = %q, html/template says %q", name, got, want)
		}
	})
}
