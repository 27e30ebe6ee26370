package bytebuf_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/octet-go/octet/bytebuf"
)

// The method sets are equal, in both directions: a method of our own would be in
// the way of one that bytes.Buffer may get.
func TestMethods(t *testing.T) {
	methods := func(p reflect.Type) map[string]string {
		m := make(map[string]string)
		for i := range p.NumMethod() {
			f := p.Method(i).Type
			var s string
			for i := 1; i < f.NumIn(); i++ { // 0 is the receiver
				s += " " + f.In(i).String()
			}
			s += " →"
			for i := range f.NumOut() {
				s += " " + f.Out(i).String()
			}
			m[p.Method(i).Name] = s
		}
		return m
	}
	for _, v := range []struct{ ours, std reflect.Type }{
		{reflect.TypeFor[*bytebuf.Buffer](), reflect.TypeFor[*bytes.Buffer]()},
		{reflect.TypeFor[bytebuf.Buffer](), reflect.TypeFor[bytes.Buffer]()},
	} {
		ours, std := methods(v.ours), methods(v.std)
		for name, sig := range std {
			if ours[name] != sig {
				t.Errorf("%v.%s is%s, want%s", v.ours, name, ours[name], sig)
			}
		}
		for name, sig := range ours {
			if std[name] == "" {
				t.Errorf("%v.%s%s is more than %v has", v.ours, name, sig, v.std)
			}
		}
	}
	if bytebuf.MinRead != bytes.MinRead || bytebuf.ErrTooLarge != bytes.ErrTooLarge {
		t.Error("MinRead or ErrTooLarge differs")
	}
}
