package poolz

import (
	"errors"
	"html"
	"html/template"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
)

// tags returns the tags of a page with the names of their attributes, as a browser
// reads them, and fails if the value of an attribute is not in double quotes, or if a
// link leads away from the page.
func tags(t *testing.T, page string) (list []string) {
	const space = " \n\t\f\r"
	rest := page
	for {
		_, after, found := strings.Cut(rest, "<")
		if !found {
			return list
		}
		rest = after
		end := strings.IndexAny(rest, space+">")
		if first := strings.TrimPrefix(rest, "/"); end < 0 || first == "" || !letter(first[0]) && first[0] != '!' {
			continue // text
		}
		name := rest[:end]
		tag := name
		for rest = strings.TrimLeft(rest[end:], space); !strings.HasPrefix(rest, ">"); rest = strings.TrimLeft(rest, space) {
			end := strings.IndexAny(rest, space+"=>")
			if end < 0 {
				t.Fatalf("the tag %s has no end", tag)
			}
			attribute := rest[:end]
			tag += " " + attribute
			rest = rest[end:]
			if !strings.HasPrefix(rest, "=") || strings.HasPrefix(tag, "!") {
				continue
			}
			value, after, found := strings.Cut(strings.TrimPrefix(rest, `="`), `"`)
			if !found || !strings.HasPrefix(rest, `="`) {
				t.Fatalf("the value of %s is not in quotes", tag)
			}
			if attribute == "href" && !strings.HasPrefix(value, "?") && value != "data:," {
				t.Fatalf("%s leads to %q", tag, value)
			}
			rest = after
		}
		list = append(list, tag)
		if name == "script" || name == "style" {
			_, rest, _ = strings.Cut(rest, "</"+name)
			rest = "</" + name + rest
		}
	}
}

func letter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

// FuzzEscaping has texts from outside, wherever a page has them, and compares the
// page's tags with those of a page with harmless texts.
func FuzzEscaping(f *testing.F) {
	for _, s := range []string{
		"", "x", `<script>alert("x")</script>' onload=x`, `"><img src=x onerror=alert(1)>`, `" autofocus onfocus="x`,
		"</pre><script>", "<!--", "-->", "&lt;script&gt;", "&#60;b>", "a\xff\x00b", "\x00", "`", "' onload='x", "%s %!d", "{{.}}", "\u2028<\r\n>",
	} {
		f.Add(s, s, s, s)
	}
	f.Fuzz(func(t *testing.T, name, what, object, at string) {
		now := time.Now()
		page := func(name, what, object, at string) string {
			p := pool{stats.Pool{
				ID:   1,
				Name: name, Limit: stats.Limit{Bytes: 10, InUse: 10, Waiting: 1},
				Classes: []stats.Class{{Capacity: 64, Gets: 1}},
			}}
			r := check.Recent{ID: 1, Times: 1, Latest: &finding.Report{Code: "OCT003", What: what, Object: object, Pool: name}}
			q := query{open: selection{ids: []uint64{1}}, finding: selection{ids: []uint64{1}}, at: at}
			return string(newPage(now, q, []pool{p}, map[uint64]history{1: minute(now, point{}, point{gets: 60})}, []check.Recent{r}))
		}
		got := page(name, what, object, at)
		if at == "pool-1" || at == "finding-1" {
			at = "" // which is allowed to have the focus
			got = strings.ReplaceAll(got, " autofocus", "")
		}
		if want := tags(t, page("x", "x", "x", "x")); !slices.Equal(tags(t, got), want) {
			t.Errorf("the tags are\n%q\nand with harmless texts\n%q", tags(t, got), want)
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

// TestMarkup sees what add escapes.
func TestMarkup(t *testing.T) {
	var m markup
	m.add(`<a href="%s">%v</a> %s %d %t`, `"`, errors.New("<"), raw("<b>"), 7, true)
	if got := m.String(); got != `<a href="&#34;">&lt;</a> <b> 7 true` {
		t.Errorf("got %s", got)
	}
}
