package poolz

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/figures"
)

// encode returns the JSON of pools, with the classes of those that are open. It is
// written without encoding/json, which would be a quarter of what the package adds to a
// program.
func encode(pools []pool, open selection) []byte {
	o := object("{")
	o.name("pools")
	o = append(o, '[')
	for i := range pools {
		o.pool(&pools[i].Pool, open.has(pools[i].ID))
	}
	o = append(o, ']')
	if len(pools) > 0 {
		group(&o, "pressure", figures.Pressures, &pools[0].Pressure) // the same for all
	}
	o.name("checked")
	o = append(o, '{')
	o.text("mode", check.Current().String())
	o.number("findings", int64(check.Findings()))
	return append(o, "}}"...)
}

// An object is JSON that is being written.
type object []byte

// comma separates what follows from what precedes it in an object or an array.
func (o *object) comma() {
	if last := (*o)[len(*o)-1]; last != '{' && last != '[' {
		*o = append(*o, ',')
	}
}

// name begins a field.
func (o *object) name(name string) {
	o.comma()
	*o = append(append(append(*o, '"'), name...), `":`...)
}

func (o *object) number(name string, n int64) {
	o.name(name)
	*o = strconv.AppendInt(*o, n, 10)
}

func (o *object) seconds(name string, d time.Duration) {
	o.name(name)
	*o = strconv.AppendFloat(*o, d.Seconds(), 'f', -1, 64)
}

func (o *object) text(name, s string) {
	o.name(name)
	*o = appendQuoted(*o, s)
}

// appendQuoted appends s as JSON that may stand in HTML, too. A byte that is not UTF-8
// becomes U+FFFD.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// table adds what a table has of v.
func table[T any](o *object, rows []figures.Figure[T], v *T) {
	for i := range rows {
		f := &rows[i]
		switch n := f.Value(v); f.Unit {
		case figures.Seconds:
			o.seconds(f.Key(), time.Duration(n))
		case figures.Time:
			if n != 0 {
				o.text(f.Key(), time.Unix(0, n).Format(time.RFC3339Nano))
			}
		default:
			o.number(f.Key(), n)
		}
	}
}

// group adds an object with what a table has of v.
func group[T any](o *object, name string, rows []figures.Figure[T], v *T) {
	o.name(name)
	*o = append(*o, '{')
	table(o, rows, v)
	*o = append(*o, '}')
}

func (o *object) pool(p *stats.Pool, classes bool) {
	o.comma()
	*o = append(*o, '{')
	o.number("id", int64(p.ID))
	o.text("name", p.Name)
	table(o, figures.Pools, p)
	group(o, "dropped", figures.Drops, &p.Dropped)
	group(o, "dropped_bytes", figures.Drops, &p.DroppedBytes)
	if p.Limit.Bytes > 0 {
		o.limit(&p.Limit)
	}
	if classes {
		o.classes(p)
	}
	*o = append(*o, '}')
}

func (o *object) limit(l *stats.Limit) {
	o.name("limit")
	*o = append(*o, '{')
	o.number("id", int64(l.ID))
	o.text("name", l.Name)
	o.name("shared")
	*o = strconv.AppendBool(*o, l.Shared)
	table(o, figures.Limits, l)
	*o = append(*o, '}')
}

func (o *object) classes(p *stats.Pool) {
	o.name("classes")
	*o = append(*o, '[')
	for i := range p.Classes {
		c := &p.Classes[i]
		o.comma()
		*o = append(*o, '{')
		o.number("capacity", int64(c.Capacity))
		table(o, figures.Classes, c)
		group(o, "dropped", figures.Drops, &c.Dropped)
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}
