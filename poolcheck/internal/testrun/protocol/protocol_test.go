package protocol

import (
	"reflect"
	"testing"
)

// What one side writes, the other reads.
func TestSetup(t *testing.T) {
	for _, s := range []Setup{
		{Mode: Records},
		{Mode: Poison, Only: []string{Nowhere}, Own: []string{"abcde.0", "fghij.12"}, Deny: []string{"abcde.1"}},
		{Mode: Poison, Not: []string{"abcde"}},
		{Mode: Guard, Place: "abcde", Type: "*struct { a, b []uint8; c map[string]int \"key=value\" }"},
	} {
		if got := ParseSetup(s.String(), '\n'); !reflect.DeepEqual(*got, s) {
			t.Errorf("%+v became %+v", s, *got)
		}
	}
}

// Users write settings with commas between. What is unknown, or has no value, does nothing.
func TestSettings(t *testing.T) {
	want := Setup{Every: "20", Report: "a=b"}
	for _, text := range []string{"every=20,report=a=b", "then,unknown=x,every=20,report=a=b,"} {
		if got := ParseSetup(text, ','); !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v", text, *got)
		}
	}
}
