package bytebuf_test

import (
	"bytes"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytebuf"
)

// The method sets are equal, in both directions: a method of our own would be in
// the way of one that bytes.Buffer may get.
func TestMethods(t *testing.T) {
	methods := func(p reflect.Type) map[string]string {
		m := make(map[string]string)
		for f := range p.Methods() {
			m[f.Name] = strings.Replace(f.Type.String(), p.String(), "", 1) // without the receiver
		}
		return m
	}
	for _, v := range []struct{ ours, std reflect.Type }{
		{reflect.TypeFor[*bytebuf.Buffer](), reflect.TypeFor[*bytes.Buffer]()},
		{reflect.TypeFor[bytebuf.Buffer](), reflect.TypeFor[bytes.Buffer]()},
	} {
		if ours, std := methods(v.ours), methods(v.std); !maps.Equal(ours, std) {
			t.Errorf("%v has %v, want %v", v.ours, ours, std)
		}
	}
	if bytebuf.MinRead != bytes.MinRead || bytebuf.ErrTooLarge != bytes.ErrTooLarge {
		t.Error("MinRead or ErrTooLarge differs")
	}
}
