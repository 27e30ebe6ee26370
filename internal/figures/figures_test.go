package figures

import (
	"math"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
)

// Each field of a T changes a figure of its table, unless it is one of those that are left
// out, or of a type that has a table of its own.
func TestEveryFieldIsAFigure(t *testing.T) {
	everyField(t, "Pools", Pools, "ID", "Name") // which tell pools apart
	everyField(t, "Classes", Classes, "Capacity")
	everyField(t, "Limits", Limits, "ID", "Name", "Shared") // which are no figures
	everyField(t, "Drops", Drops)
	everyField(t, "Pressures", Pressures)
}

func everyField[T any](t *testing.T, table string, figures []Figure[T], without ...string) {
	values := func(v *T) (list []int64) {
		for _, f := range figures {
			list = append(list, f.Value(v))
		}
		return list
	}
	left := make(map[string]bool)
	for _, name := range without {
		left[name] = true
	}
	of := reflect.TypeFor[T]()
	for _, f := range reflect.VisibleFields(of) {
		switch f.Type {
		case reflect.TypeFor[stats.Options](): // its fields are visible, too
			continue
		case reflect.TypeFor[stats.Dropped](), reflect.TypeFor[stats.Limit](), reflect.TypeFor[stats.Pressure](), reflect.TypeFor[[]stats.Class]():
			continue
		}
		zero, one := new(T), new(T)
		switch v := reflect.ValueOf(one).Elem().FieldByIndex(f.Index); {
		case v.CanInt():
			v.SetInt(1)
		case v.CanUint():
			v.SetUint(1)
		case f.Type == reflect.TypeFor[time.Time]():
			v.Set(reflect.ValueOf(time.Unix(1, 0)))
		case f.Type.Kind() != reflect.String && f.Type.Kind() != reflect.Bool:
			t.Errorf("%v.%s is of a type that no figure has: give it a table", of, f.Name)
		}
		if shown := !reflect.DeepEqual(values(zero), values(one)); shown == left[f.Name] {
			t.Errorf("%v.%s: a figure of %s shows it: %v, want %v; a field needs a row of the table", of, f.Name, table, shown, !shown)
		}
	}
}

// A row has all that those who show it need.
func TestRows(t *testing.T) {
	rows(t, Pools)
	rows(t, Classes)
	rows(t, Limits)
	rows(t, Drops)
	rows(t, Pressures)
	if f := (&Figure[stats.Limit]{Unit: Bytes}); f.Key() != "bytes" {
		t.Errorf("without a name: %q", f.Key())
	}
	if n := Pressures[4].Value(&stats.Pressure{Limit: math.MaxInt64}); n != 0 {
		t.Errorf("without a memory limit it is %d", n)
	}
}

func rows[T any](t *testing.T, table []Figure[T]) {
	keys := make(map[string]bool)
	for _, f := range table {
		if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(f.Key()) || keys[f.Key()] {
			t.Errorf("%T: %q is no key, or one that another row has", f, f.Key())
		}
		keys[f.Key()] = true
		if !regexp.MustCompile(`^[A-Z].*\.$`).MatchString(f.Help) {
			t.Errorf("%T %s: %q is no sentence", f, f.Key(), f.Help)
		}
	}
}
