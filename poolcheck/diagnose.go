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
	flow.RaceAfterRelease: {"is released while another goroutine may still use it", "handed to a goroutine"},
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
	d := analysis.Diagnostic{Pos: r.Pos, Category: string(r.Code), URL: URL(string(r.Code)), Related: path(r, name)}
	var details []string
	if r.Acquired.IsValid() && r.Acquired != r.Pos {
		verb := "acquired"
		if r.Taken {
			verb = "taken over"
		}
		details = append(details, fmt.Sprintf("%s at line %d", verb, line(r.Acquired)))
	}
	switch {
	case r.Dropped:
		details = append(details, "nothing uses it")
	case r.Code == flow.MissingRelease && r.Other == r.Pos:
		details = append(details, "the loop acquires another")
	case r.Other.IsValid() && s[1] != "":
		detail := fmt.Sprintf("%s at line %d", s[1], line(r.Other))
		if r.Why == flow.Sent {
			detail = fmt.Sprintf("sent at line %d", line(r.Other))
		}
		if r.Before {
			detail += " in an earlier round of the loop"
		}
		details = append(details, detail)
	}
	d.Message = fmt.Sprintf("%s: %s", r.Code, sentence(pass, r, name))
	if len(details) > 0 {
		d.Message += " (" + strings.Join(details, ", ") + ")"
	}
	if fix, ok := deferRelease(pass, r); ok {
		d.SuggestedFixes = append(d.SuggestedFixes, fix)
	}
	return d
}

// sentence says what is wrong with the memory that has a name.
func sentence(pass *analysis.Pass, r *flow.Report, name string) string {
	switch r.Why {
	case flow.NothingPut:
		return name + " is never released: nothing puts anything into its pool"
	case flow.LeftBy:
		return fmt.Sprintf("%s is not released: %s does not release it", name, r.By)
	case flow.Replaced:
		return fmt.Sprintf("%s is not released: %s puts other memory in its place", name, r.By)
	case flow.Unlike:
		if !r.Like.IsValid() {
			return fmt.Sprintf("%s is not released where %s fails here", name, r.By)
		}
		return fmt.Sprintf("%s is not released where %s fails here, as it is at line %d", name, r.By, pass.Fset.Position(r.Like).Line)
	case flow.PutInto:
		return fmt.Sprintf("%s is not released: it is put into %s, and nothing that comes out of there is", name, r.By)
	case flow.Discarded:
		return fmt.Sprintf("what comes out of %s is dropped here and not released", r.By)
	case flow.Emptied:
		return fmt.Sprintf("what is in %s is dropped here and not released", r.By)
	case flow.Unowned:
		return fmt.Sprintf("the reference to %s that %s adds here is not released", name, r.By)
	case flow.PilesUp:
		return name + " is released when the function returns, not before the loop acquires the next"
	case flow.Sent:
		if r.Code == flow.AliasEscape {
			return name + " stays reachable after it was sent to what releases it"
		}
		return name + " is used after it was sent to what releases it"
	case flow.UsedBy:
		return fmt.Sprintf("%s is released here while the goroutine that runs %s may still use it", name, r.By)
	case flow.Repeated:
		return fmt.Sprintf("%s is released here each time that %s is called", name, r.By)
	case flow.NeverReset:
		return name + " may hold what its last user left: nothing is sure to reset it"
	}
	if r.Code == flow.ForeignRelease && r.Family != nil && r.Family != api.User {
		return fmt.Sprintf("%s belongs to another pool (%s)", name, r.Family.Name)
	}
	return name + " " + sentences[r.Code][0]
}

// ends say what the position in Other of a report is, as a step of its own and as
// what a call does.
var ends = map[flow.Code][2]string{
	flow.UseAfterRelease:  {"released here", "releases it"},
	flow.AliasEscape:      {"released here", "releases it"},
	flow.DoubleRelease:    {"released first here", "releases it first"},
	flow.MissingRelease:   {"not released before here", "does not release it"},
	flow.RaceAfterRelease: {"handed to a goroutine here", "hands it to a goroutine"},
	flow.GrownAndLost:     {"moved here", "moves it"},
}

// faults say the same of what is wrong.
var faults = map[flow.Code][2]string{
	flow.UseAfterRelease:  {"used here", "uses it"},
	flow.AliasEscape:      {"still reachable here", "keeps it reachable"},
	flow.DoubleRelease:    {"released again here", "releases it again"},
	flow.RaceAfterRelease: {"released here", "releases it"},
	flow.PartReleased:     {"released in part here", "releases a part of it"},
	flow.ForeignRelease:   {"released here", "releases it"},
	flow.GrownAndLost:     {"used here", "uses it"},
	flow.DirtyReuse:       {"read here", "reads it"},
}

// handedOn says it of what is used, or reachable, after it was sent.
var handedOn = map[flow.Event][2]string{
	flow.Ends:   {"sent here", "sends it"},
	flow.Faults: {"used here", "uses it"},
}

// path returns the steps that lead from where the memory of r, which is called name,
// was acquired to what is wrong.
func path(r *flow.Report, name string) []analysis.RelatedInformation {
	var steps []analysis.RelatedInformation
	for _, s := range r.Steps {
		if !s.Pos.IsValid() {
			continue
		}
		says := [2]string{name + " is acquired here", "acquires it"}
		switch {
		case s.What == flow.Acquires && r.Taken:
			says = [2]string{name + " is taken over here", "takes it over"}
		case s.What == flow.Acquires:
		case r.Why == flow.Sent:
			says = handedOn[s.What]
		case s.What == flow.Ends:
			says = ends[r.Code]
		default:
			says = faults[r.Code]
		}
		text := says[0]
		switch {
		case s.Call != "":
			text = fmt.Sprintf("%s is called, which %s", s.Call, says[1])
		case r.Code == flow.AliasEscape && s.What == flow.Faults:
			text = destinations[s.To]
		}
		if text != "" {
			steps = append(steps, analysis.RelatedInformation{Pos: s.Pos, Message: text})
		}
	}
	return steps
}

// destinations say where something goes that outlives the release of its memory.
var destinations = map[flow.Destination]string{
	flow.ToNobody:    "kept here",
	flow.ToCaller:    "returned here",
	flow.ToStore:     "stored here",
	flow.ToChannel:   "sent here",
	flow.ToGoroutine: "given to a goroutine here",
}
