package main

import (
	"fmt"
	"go/token"
	"io"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/status"
	"github.com/octet-go/octet/poolcheck/internal/testrun"
)

// testCommand is poolcheck test, which runs tests with a sync.Pool that checks.
func testCommand(args []string, stdout, stderr io.Writer) int {
	if testrun.Helper(args) {
		return status.Clean
	}
	r := testrun.Run(args, stdout, stderr)
	if r.Options == nil {
		return r.Status
	}
	o := &options{analyzer: "pooltest", json: r.Options.JSON}
	found := make(findings)
	for _, f := range r.Findings {
		found[f.Package] = append(found[f.Package], ofTest(f))
	}
	if err := output(o, found, nil, stdout); err != nil {
		fmt.Fprintln(stderr, "poolcheck test:", err)
		return status.Incomplete
	}
	return r.Status
}

// ofTest returns the form that findings of the static checker have.
func ofTest(f *testrun.Finding) finding {
	at := position(f.At())
	g := finding{Category: f.Code, Posn: at.String(), Message: f.Code + ": " + testMessage(f), URL: pageOf(f.Code), at: at}
	verb := "put"
	if f.Code == "OCT009" {
		verb = "acquired"
	}
	g.Related = append(calls(verb, f.Put), calls(string(f.Kind), f.Fault)...)
	return g
}

// calls describes a stack whose innermost function does what verb says.
func calls(verb string, stack []testrun.Frame) []related {
	var list []related
	for _, c := range stack[:min(len(stack), 12)] {
		list = append(list, related{Posn: position(c).String(), Message: verb + " by " + c.Func})
		verb = "called"
	}
	return list
}

func position(f testrun.Frame) token.Position {
	return token.Position{Filename: f.File, Line: f.Line, Column: 1}
}

// testMessage is what a finding says, in one line.
func testMessage(f *testrun.Finding) string {
	shown := ""
	if len(f.Tests) > 0 && f.Tests[0] != "" {
		shown = "shown by " + strings.Join(f.Tests, ", ") + "; "
	}
	return f.Message + " (" + shown + "run " + f.Again + ")"
}
