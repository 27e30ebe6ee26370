package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/octet-go/octet/poolcheck/internal/testrun"
)

// TestOutputOfTest checks that findings of poolcheck test have the forms of the others.
func TestOutputOfTest(t *testing.T) {
	f := ofTest(&testrun.Finding{
		Kind: testrun.Double, Code: "OCT003", Message: "a *T is put a second time",
		Put:     []testrun.Frame{{Func: "example.com/m.f", File: "/src/a.go", Line: 7}},
		Fault:   []testrun.Frame{{Func: "example.com/m.g", File: "/src/b.go", Line: 9}},
		Package: "example.com/m", Tests: []string{"TestA", "TestB"}, Again: "poolcheck test -run='^TestA$' example.com/m",
	})
	found := findings{"example.com/m": {f}}
	var out bytes.Buffer
	if err := output(new(options), found, nil, &out); err != nil {
		t.Fatal(err)
	}
	want := `/src/a.go:7:1: OCT003: a *T is put a second time (shown by TestA, TestB; run poolcheck test -run='^TestA$' example.com/m)
	/src/a.go:7:1: put by example.com/m.f
	/src/b.go:9:1: put again by example.com/m.g
`
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
	out.Reset()
	if err := output(&options{analyzer: "pooltest", json: true}, found, nil, &out); err != nil || !strings.Contains(out.String(), `"pooltest": [`) {
		t.Errorf("JSON (%v): %s", err, &out)
	}
	octet := ofTest(&testrun.Finding{Kind: testrun.Octet, Fault: []testrun.Frame{{Func: "example.com/m.h"}}})
	if r := octet.Related; len(r) != 1 || r[0].Message != "misused by example.com/m.h" {
		t.Errorf("of octet's pools: %+v", r)
	}
}
