package poolcheck

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// docs is where the pages are that explain the classes.
const docs = "https://github.com/octet-go/octet/tree/main/poolcheck/docs"

// URL returns the address of the page that explains the class of a code.
func URL(code string) string { return docs + "/" + code + ".md" }

// sentences say what is wrong: first of the variable, then what the position
// in Other is.
var sentences = map[flow.Code][2]string{
	flow.UseAfterRelease:  {"is used after its release", "released"},
	flow.AliasEscape:      {"outlives its release", "released"},
	flow.DoubleRelease:    {"is released twice", "released first"},
	flow.MissingRelease:   {"is not released on every path", "returns without a release"},
	flow.RaceAfterRelease: {"is released while another goroutine may still use it", "handed to the goroutine"},
	flow.PartReleased:     {"is only a part of what the pool handed out: release the whole", ""},
	flow.ForeignRelease:   {"does not belong to the pool that it is released to", ""},
	flow.GrownAndLost:     {"may have been moved by an append, and its old memory released", "moved"},
	flow.DirtyReuse:       {"is read beyond what was written to it: old bytes show", ""},
}

// diagnostics turns reports into what drivers print.
func diagnostics(pass *analysis.Pass, reports []*flow.Report) []analysis.Diagnostic {
	type place struct {
		pos  token.Pos
		code flow.Code
	}
	seen := make(map[place]bool)
	var out []analysis.Diagnostic
	for _, r := range reports {
		at := place{r.Pos, r.Code}
		// A test that forgets a release costs nothing; where it matters,
		// pooltest.NoLeaks tells.
		inTest := strings.HasSuffix(pass.Fset.Position(r.Pos).Filename, "_test.go")
		if seen[at] || inTest && r.Code == flow.MissingRelease {
			continue
		}
		seen[at] = true
		out = append(out, diagnostic(pass, r))
	}
	return out
}

func diagnostic(pass *analysis.Pass, r *flow.Report) analysis.Diagnostic {
	name := r.Name
	if name == "" {
		name = "pooled memory"
	}
	line := func(p token.Pos) int { return pass.Fset.Position(p).Line }
	s := sentences[r.Code]
	d := analysis.Diagnostic{Pos: r.Pos, Category: string(r.Code), URL: URL(string(r.Code))}
	detail := ""
	if r.Acquired.IsValid() && r.Acquired != r.Pos {
		detail = fmt.Sprintf("acquired at line %d", line(r.Acquired))
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.Acquired, Message: name + " is acquired here"})
	}
	switch {
	case r.Code == flow.MissingRelease && r.Other == r.Pos:
		detail = "the loop acquires another"
	case r.Other.IsValid() && s[1] != "":
		if detail != "" {
			detail += ", "
		}
		detail += fmt.Sprintf("%s at line %d", s[1], line(r.Other))
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.Other, Message: s[1] + " here"})
	}
	d.Message = fmt.Sprintf("%s: %s %s", r.Code, name, s[0])
	if r.Code == flow.ForeignRelease && r.Family != nil && r.Family != api.User {
		d.Message = fmt.Sprintf("%s: %s belongs to another pool (%s)", r.Code, name, r.Family.Name)
	}
	if r.NeverPut {
		d.Message = fmt.Sprintf("%s: %s is never released: nothing puts anything into its pool", r.Code, name)
	}
	if detail != "" {
		d.Message += " (" + detail + ")"
	}
	if fix, ok := deferRelease(pass, r); ok {
		d.SuggestedFixes = append(d.SuggestedFixes, fix)
	}
	return d
}
