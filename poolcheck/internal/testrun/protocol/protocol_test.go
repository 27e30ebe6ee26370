package protocol

import (
	"fmt"
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
		if got := ParseSetup(s.String()); !reflect.DeepEqual(*got, s) {
			t.Errorf("%+v became %+v", s, *got)
		}
	}
}

func TestOptions(t *testing.T) {
	var got []string
	for key, value := range Options("off,every=20,report=a=b,", ',') {
		got = append(got, key+":"+value)
		if key == "" {
			break
		}
	}
	if want := "[off: every:20 report:a=b :]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAppendLine(t *testing.T) {
	if got := string(AppendLine([]byte("x"), End, "1", "2")); got != "xend\t1\t2\n" {
		t.Errorf("%q", got)
	}
}
