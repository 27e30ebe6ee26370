package poolz

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/figures"
)

// number sets all numbers of v to values that no other has, and returns which they are.
func number(v reflect.Value, path string, values map[string]int64) {
	n := int64(len(values) + 301)
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(n, 0)))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			number(v.Field(i), path+"."+v.Type().Field(i).Name, values)
		}
		return
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		number(v.Index(0), path, values)
		return
	case v.Type() == reflect.TypeFor[time.Duration]():
		v.SetInt(n * int64(time.Second))
	case v.CanInt():
		v.SetInt(n)
	case v.CanUint():
		v.SetUint(uint64(n))
	default:
		return
	}
	values[path] = n
}

// TestEveryFieldIsShown sees that all numbers of a pool are in the JSON and on the page,
// once the pool is open.
func TestEveryFieldIsShown(t *testing.T) {
	var p pool
	values := make(map[string]int64)
	number(reflect.ValueOf(&p.Pool).Elem(), "Pool", values)
	open := selection{all: true}

	text := encode([]pool{p}, open)
	if !json.Valid(text) {
		t.Fatalf("%s", text)
	}
	page := plain(string(newPage(time.Unix(1000, 0), query{format: "html", open: open}, []pool{p}, nil, nil)))
	_, page, _ = strings.Cut(page, "</head>")
	for path, n := range values {
		if strings.HasSuffix(path, ".At") || strings.HasSuffix(path, ".LastDrop") {
			if at := time.Unix(n, 0); !strings.Contains(string(text), at.Format(time.RFC3339)) || !strings.Contains(page, ago(at, time.Unix(1000, 0))) {
				t.Errorf("%s is not shown", path)
			}
			continue
		}
		number := strconv.FormatInt(n, 10)
		if !strings.Contains(string(text), ":"+number) {
			t.Errorf("%s is not in the JSON", path)
		}
		if path == "Pool.Limit.ID" {
			continue // the page shows the name
		}
		if strings.HasPrefix(path, "Pool.Classes.Dropped.") {
			number = plain(count(droppedOf(&p.Classes[0]))) // the page shows the sum
		}
		if duration := (time.Duration(n) * time.Second).String(); !strings.Contains(page, number) && !strings.Contains(page, duration) {
			t.Errorf("%s is not on the page", path)
		}
	}
}

func droppedOf(c *stats.Class) (n uint64) {
	for _, f := range figures.Drops {
		n += uint64(f.Value(&c.Dropped))
	}
	return n
}
