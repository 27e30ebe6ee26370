package testrun

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	o, err := parse(strings.Fields("-race -tags a,b ./x -v -run=^T$ --count 2 ./... -timeout=5m -args -json y"))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(o.build, o.test, o.patterns, o.args, o.Verbose, o.JSON, o.timeout)
	if want := "[-race -tags=a,b] [-run=^T$ -count=2] [./x ./...] [-json y] true false 5m0s\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, args := range []string{"-cover", "-coverpkg=./...", "-exec=x", "-nosuch", "-run", "-budget=x", "-work"} {
		if _, err := parse([]string{args}); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}

// What stands behind the package is for the program that poolcheck run starts.
func TestBuildFlags(t *testing.T) {
	for args, ok := range map[string]bool{
		"-o server -race ./cmd/server":           false,
		"--tags=a -ldflags -s -msan ./x":         false,
		"-nosuch .":                              false,
		"-C=/tmp ./x":                            false,
		". -race":                                true,
		"-buildvcs -work -exec qemu ./x -race y": true,
	} {
		if err := checkBuildFlags("run", strings.Fields(args)); (err == nil) != ok {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// Of two flags the last one counts.
func TestArguments(t *testing.T) {
	b := &testBinary{Args: []string{"-test.timeout=0s", "-test.count=1", "-test.run=A", "-test.skip=B/C", "-mine"}}
	for want, c := range map[string]choice{
		"-test.timeout=0s -test.count=1 -test.run=A -test.skip=B/C -test.timeout=1m0s -mine":                             {},
		"-test.timeout=0s -test.count=1 -test.run=A -test.skip=B/C -test.timeout=1m0s -test.run=^X$|^Y$/^Z\\+$ -mine":    {tests: []string{"X", "Y/Z+"}},
		"-test.timeout=0s -test.count=1 -test.run=A -test.skip=B/C -test.count=8 -test.timeout=1m0s -test.run=^X$ -mine": {tests: []string{"X"}, extra: []string{"-test.count=8"}},
		"-test.timeout=0s -test.count=1 -test.run=A -test.skip=B/C -test.timeout=1m0s -test.skip=^Z$|B/C -mine":          {skip: []string{"Z"}},
	} {
		if got := strings.Join(b.arguments(c, time.Minute), " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
