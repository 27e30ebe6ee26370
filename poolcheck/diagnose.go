package poolcheck

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/rules"
)

// docs is where the pages are that explain the classes.
const docs = "https://github.com/octet-go/octet/tree/main/poolcheck/docs"

// URL returns the address of the page that explains the class of a code.
func URL(code string) string { return docs + "/" + code + ".md" }

// words says what a report of a code says.
type words struct {
	fault string    // of the variable
	other string    // what the position in Other is
	ends  [2]string // the same as a step of its own, and as what a call does
	wrong [2]string // what is wrong, in the same two ways
}

var sentences = map[string]words{
	"OCT001": {"is used after its release", "released", released, [2]string{"used here", "uses it"}},
	"OCT002": {"outlives its release", "released", released, [2]string{"", "keeps it reachable"}},
	"OCT003": {
		"is released twice", "released first", [2]string{"released first here", "releases it first"},
		[2]string{"released again here", "releases it again"},
	},
	"OCT004": {
		"is not released on every path", "returns without a release",
		[2]string{"not released before here", "does not release it"}, [2]string{},
	},
	"OCT005": {
		"is released while another goroutine may still use it", "handed over",
		[2]string{"handed over here", "hands it over"}, [2]string{"released here", "releases it"},
	},
	"OCT006": {
		"is only a part of what the pool handed out: release the whole", "", [2]string{},
		[2]string{"released in part here", "releases a part of it"},
	},
	"OCT008": {
		"may have been moved by an append, and this is the old slice", "moved", [2]string{"moved here", "moves it"},
		[2]string{"used here", "uses it"},
	},
	"OCT011": {
		"shows a buffer that its decoder has overwritten: copy it, by bytes.Clone or String", "the decoder read on",
		[2]string{"the decoder reads on here", "reads on"}, [2]string{"used or kept here", "uses or keeps it"},
	},
}

var released = [2]string{"released here", "releases it"}

// diagnostics turns the reports that are wanted into what drivers print.
func diagnostics(pass *analysis.Pass, reports []*rules.Report, wanted Codes) []analysis.Diagnostic {
	type place struct {
		pos  token.Pos
		code string
	}
	seen := make(map[place]bool)
	var out []analysis.Diagnostic
	for _, r := range reports {
		at := place{r.Pos, r.Code}
		inTest := strings.HasSuffix(pass.Fset.Position(r.Pos).Filename, "_test.go")
		if seen[at] || inTest && costsNothing(r) || !wanted.want(r.Code, r.Object.Family.Counted) {
			continue
		}
		seen[at] = true
		out = append(out, diagnostic(pass, r))
	}
	return out
}

// costsNothing reports whether r is harmless in a test: memory that is lost, which pooltest.NoLeaks shows
// where it matters, or a look at what a release has left in it.
func costsNothing(r *rules.Report) bool { return r.Code == "OCT004" || r.Code == "OCT001" && r.Reads }

func diagnostic(pass *analysis.Pass, r *rules.Report) analysis.Diagnostic {
	name := r.Name
	if name == "" {
		name = "pooled memory"
	}
	line := func(p token.Pos) int { return pass.Fset.Position(p).Line }
	w := sentences[r.Code]
	d := analysis.Diagnostic{Pos: r.Pos, Category: r.Code, URL: URL(r.Code), Related: path(r, name)}
	verb := "acquired"
	if r.Code == "OCT011" {
		verb = "read"
	}
	var details []string
	if len(r.Steps) > 0 && r.Steps[0].What == rules.Acquires && r.Steps[0].Pos != r.Pos {
		details = append(details, fmt.Sprintf("%s at line %d", verb, line(r.Steps[0].Pos)))
	}
	switch {
	case r.Dropped:
		details = append(details, "nothing uses it")
	case r.Loop:
		details = append(details, "the loop acquires another")
	case r.Other.IsValid() && w.other != "":
		detail := fmt.Sprintf("%s at line %d", w.other, line(r.Other))
		if r.Before {
			detail += " in an earlier round of the loop"
		}
		details = append(details, detail)
	}
	fault := w.fault
	if r.Method != "" {
		fault = fmt.Sprintf("is released by each call of %s, %s", r.Method, r.Why)
	}
	d.Message = fmt.Sprintf("%s: %s %s", r.Code, name, fault)
	if len(details) > 0 {
		d.Message += " (" + strings.Join(details, ", ") + ")"
	}
	if fix, ok := deferRelease(pass, r); ok {
		d.SuggestedFixes = append(d.SuggestedFixes, fix)
	}
	return d
}

// path returns the steps that lead from where the memory of r, which is called name, was acquired to what
// is wrong.
func path(r *rules.Report, name string) []analysis.RelatedInformation {
	var steps []analysis.RelatedInformation
	for _, s := range r.Steps {
		says := [2]string{name + " is acquired here", "acquires it"}
		switch s.What {
		case rules.Acquires:
			if r.Code == "OCT011" {
				says[0] = name + " is read here"
			}
		case rules.Ends:
			says = sentences[r.Code].ends
		case rules.Faults:
			says = sentences[r.Code].wrong
		}
		text := says[0]
		switch {
		case s.Call != "":
			text = fmt.Sprintf("%s is called, which %s", s.Call, says[1])
		case r.Code == "OCT002" && s.What == rules.Faults:
			text = destination(s.At)
		}
		if text != "" {
			steps = append(steps, analysis.RelatedInformation{Pos: s.Pos, Message: text})
		}
	}
	return steps
}

// destination says where i takes something that outlives the release of its memory.
func destination(i ssa.Instruction) string {
	switch i.(type) {
	case *ssa.Return:
		return "returned here"
	case *ssa.Store, *ssa.MapUpdate:
		return "stored here"
	case *ssa.Send:
		return "sent here"
	case *ssa.Go:
		return "given to a goroutine here"
	}
	return "kept here"
}
