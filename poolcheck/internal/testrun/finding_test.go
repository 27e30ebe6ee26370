package testrun

import (
	"strings"
	"testing"
)

func TestHeadline(t *testing.T) {
	std := Frame{"net/http.(*Server).Serve", "/go/src/net/http/server.go", 1}
	put := Frame{"example.com/pool.(*Pool[...]).Put", "/x/pool.go", 2}
	release := Frame{"example.com/buf.releaseBuffer", "/x/buf.go", 3}
	user := Frame{"example.com/user.Do.func1", "/x/user.go", 4}
	again := Frame{release.Func, release.File, 5}
	for _, c := range []struct {
		want         int
		stack, other []Frame
	}{
		{4, []Frame{put, release, user, std}, nil},
		{3, []Frame{release, std, user}, nil},
		{1, []Frame{std}, nil},
		{2, []Frame{std, put}, nil},
		{3, []Frame{put, release, user, std}, []Frame{put, again, user, std}}, // twice in one function
		{4, []Frame{put, release, user, std}, []Frame{put, release, user, std}},
		{4, []Frame{put, release, user, std}, []Frame{put, release, {user.Func, user.File, 6}, std}},
		{4, []Frame{put, release, user, std}, []Frame{{"example.com/user.read", "/x/user.go", 7}, user, std}},
	} {
		if got := headline(c.stack, c.other).Line; got != c.want {
			t.Errorf("%v beside %v: line %d, want %d", c.stack, c.other, got, c.want)
		}
	}
}

// A method is no test of package testing, which could run it by its name.
func TestTestOf(t *testing.T) {
	for name, want := range map[string]string{
		"example.com/user.TestDo":                "TestDo",
		"example.com/user_test.TestDo.func2.1":   "TestDo",
		"user.FuzzDo.func1.gowrap2":              "FuzzDo",
		"example.com/user.s.TestDo":              "",
		"example.com/user.(*Suite).TestDo.func1": "",
		"example.com/user%2ev2.ExampleDo":        "ExampleDo",
		"example.com/user.parse":                 "",
	} {
		stack := []Frame{{"example.com/user.Do", "/x/user.go", 1}, {name, "/x/user_test.go", 2}, {"testing.tRunner", "/go/src/testing/testing.go", 3}}
		if got := testOf(stack); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The command that shows a finding again runs what was asked for, if no test is known.
func TestAgain(t *testing.T) {
	o, err := parse(strings.Fields("-race -short -run=A|B -skip=^A$/^C$ ./... -args -x"))
	if err != nil {
		t.Fatal(err)
	}
	c := &command{Options: o}
	for want, tests := range map[string][]string{
		"poolcheck test -race -short -skip='^A$/^C$' -run='^A$' example.com/m -args -x": {"", "A", "B"},
		"poolcheck test -race -short -run='A|B' -skip='^A$/^C$' example.com/m -args -x": {""},
	} {
		if got := c.again(&Finding{Tests: tests, Package: "example.com/m"}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
