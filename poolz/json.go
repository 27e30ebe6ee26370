package poolz

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// encode returns the JSON of pools, with the classes of those that are open. It is
// written without encoding/json, which would be a quarter of what the package adds to
// a program.
func encode(pools []pool, open selection) []byte {
	o := object(`{"pools":[`)
	for i := range pools {
		o.pool(&pools[i], open.has(pools[i].id))
	}
	return append(o, "]}"...)
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

func (o *object) count(name string, n uint64) {
	o.name(name)
	*o = strconv.AppendUint(*o, n, 10)
}

func (o *object) bytes(name string, n int64) {
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

func (o *object) pool(p *pool, classes bool) {
	o.comma()
	*o = append(*o, '{')
	o.count("id", p.id)
	o.text("name", p.Name)
	o.count("gets", p.Gets)
	o.count("hits", p.Hits)
	o.count("misses", p.Misses)
	o.count("puts", p.Puts)
	o.count("out_gets", p.OutGets)
	o.count("out_bytes", p.OutBytes)
	o.bytes("in_use_bytes", p.InUseBytes)
	o.bytes("idle_bytes", p.IdleBytes)
	o.bytes("budget_bytes", p.Budget)
	o.seconds("retain_seconds", p.Retain)
	o.bytes("limit_bytes", p.Limit.Limit)
	if l := p.Limit.Shared; l != nil {
		o.text("shared_limit", l.Name())
		o.bytes("shared_in_use_bytes", p.Limit.InUse)
	}
	o.bytes("reserved_bytes", p.Limit.Reserved)
	o.bytes("peak_bytes", p.Limit.Peak)
	o.count("waiting", uint64(p.Limit.Waiting))
	o.count("rejected", p.Limit.Rejected)
	o.seconds("waited_seconds", p.Limit.Waited)
	o.name("dropped")
	*o = append(*o, '{')
	o.count("over_budget", p.Dropped.OverBudget)
	o.count("over_bound", p.Dropped.OverBound)
	o.count("odd", p.Dropped.Odd)
	o.count("aged", p.Dropped.Aged)
	o.count("trimmed", p.Dropped.Trimmed)
	o.count("abandoned", p.Dropped.Abandoned)
	o.count("front_cut", p.Dropped.FrontCut)
	o.count("too_small", p.TooSmall)
	o.count("too_large", p.TooLarge)
	*o = append(*o, '}')
	if !p.LastDrop.IsZero() {
		o.text("last_drop", p.LastDrop.Format(time.RFC3339Nano))
	}
	if classes {
		o.classes(p)
	}
	*o = append(*o, '}')
}

func (o *object) classes(p *pool) {
	o.name("classes")
	*o = append(*o, '[')
	for _, c := range p.Classes {
		o.comma()
		*o = append(*o, '{')
		o.count("capacity", uint64(c.Capacity))
		o.count("gets", c.Gets)
		o.count("hits", c.Hits)
		o.count("misses", c.Misses)
		o.count("puts", c.Puts)
		o.bytes("in_use", c.InUse)
		o.bytes("idle_bytes", c.IdleBytes)
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}
