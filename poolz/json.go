package poolz

import (
	"encoding/json"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/figures"
)

// An object is one of JSON.
type object map[string]any

// encode returns the JSON of pools, with the classes of those that are open.
func encode(pools []pool, open selection) []byte {
	list := make([]object, len(pools))
	for i := range pools {
		list[i] = poolObject(&pools[i].Pool, open.has(pools[i].ID))
	}
	all := object{
		"pools":   list,
		"checked": object{"mode": check.Current().String(), "findings": check.Findings()},
	}
	if len(pools) > 0 {
		all["pressure"] = table(figures.Pressures, &pools[0].Pressure) // the same for all
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // all that it has are numbers, strings and times
	}
	return text
}

// table returns what a table has of v.
func table[T any](rows []figures.Figure[T], v *T) object {
	o := make(object, len(rows))
	for i := range rows {
		f := &rows[i]
		switch n := f.Value(v); f.Unit {
		case figures.Seconds:
			o[f.Key()] = time.Duration(n).Seconds()
		case figures.Time:
			if n != 0 {
				o[f.Key()] = time.Unix(0, n)
			}
		default:
			o[f.Key()] = n
		}
	}
	return o
}

func poolObject(p *stats.Pool, classes bool) object {
	o := table(figures.Pools, p)
	o["id"], o["name"] = p.ID, p.Name
	o["dropped"], o["dropped_bytes"] = table(figures.Drops, &p.Dropped), table(figures.Drops, &p.DroppedBytes)
	if l := &p.Limit; l.Bytes > 0 {
		limit := table(figures.Limits, l)
		limit["id"], limit["name"], limit["shared"] = l.ID, l.Name, l.Shared
		o["limit"] = limit
	}
	if classes {
		list := make([]object, len(p.Classes))
		for i := range p.Classes {
			c := &p.Classes[i]
			list[i] = table(figures.Classes, c)
			list[i]["capacity"], list[i]["dropped"] = c.Capacity, table(figures.Drops, &c.Dropped)
		}
		o["classes"] = list
	}
	return o
}
