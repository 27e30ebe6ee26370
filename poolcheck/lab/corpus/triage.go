package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A verdict on a report, after reading the code.
type verdict struct {
	judgement string // true, harmless or false
	reason    string
	seen      bool
}

// A key names a report: module@version, position and code. The wording of the
// message may change.
type key struct{ module, pos, code string }

// Judgements: a true report tells of a fault that can happen; a harmless one
// of something that is as reported, and does no damage or is meant; a false
// one of something that is not there.
var judgements = []string{"true", "harmless", "false"}

// readTriage reads lines of six fields that tabs separate:
//
//	module@version  position  code  judgement  reason  message
func readTriage(name string) (map[key]*verdict, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list := make(map[key]*verdict)
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("%s:%d: %d fields, want 6: module@version, position, code, judgement, reason, message", name, n+1, len(f))
		}
		if !slices.Contains(judgements, f[3]) {
			return nil, fmt.Errorf("%s:%d: judgement %q, want one of %v", name, n+1, f[3], judgements)
		}
		if f[4] == "" {
			return nil, fmt.Errorf("%s:%d: no reason", name, n+1)
		}
		k := key{f[0], f[1], f[2]}
		if list[k] != nil {
			return nil, fmt.Errorf("%s:%d: a second verdict on %v", name, n+1, k)
		}
		list[k] = &verdict{judgement: f[3], reason: f[4]}
	}
	return list, nil
}

// A tally adds up the verdicts by code.
type tally struct {
	byCode map[string]map[string]int
	open   int      // reports without a verdict
	gone   []string // verdicts whose report did not come again
}

// add counts the reports on one module. It returns those without a verdict, as
// lines for the triage file.
func (t *tally) add(m module, reports []report, triage map[key]*verdict) (open []string) {
	if t.byCode == nil {
		t.byCode = make(map[string]map[string]int)
	}
	for _, r := range reports {
		v := triage[key{m.String(), r.pos, r.code}]
		if v == nil {
			open = append(open, strings.Join([]string{m.String(), r.pos, r.code, "", "",
				strings.Join(strings.Fields(r.message), " ")}, "\t"))
			continue
		}
		v.seen = true
		if t.byCode[r.code] == nil {
			t.byCode[r.code] = make(map[string]int)
		}
		t.byCode[r.code][v.judgement]++
	}
	for k, v := range triage {
		if k.module == m.String() && !v.seen {
			t.gone = append(t.gone, fmt.Sprintf("%s %s %s (%s)", k.module, k.pos, k.code, v.judgement))
		}
	}
	slices.Sort(t.gone)
	t.open += len(open)
	return open
}

// print writes the table of the totals, and what is amiss.
func (t *tally) print(out io.Writer) {
	codes := make([]string, 0, len(t.byCode))
	for c := range t.byCode {
		codes = append(codes, c)
	}
	slices.Sort(codes)
	fmt.Fprintln(out, "| class | reports | true | harmless | false | true % |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- | --- |")
	sum := make(map[string]int)
	for _, c := range codes {
		row(out, c, t.byCode[c])
		for j, n := range t.byCode[c] {
			sum[j] += n
		}
	}
	row(out, "all", sum)
	if len(t.gone) > 0 {
		fmt.Fprintf(out, "\n%d verdicts whose report did not come again:\n", len(t.gone))
		for _, g := range t.gone {
			fmt.Fprintln(out, g)
		}
	}
	if t.open > 0 {
		fmt.Fprintf(out, "\n%d reports without a verdict\n", t.open)
	}
}

func row(out io.Writer, name string, by map[string]int) {
	n, percent := 0, "-"
	for _, j := range judgements {
		n += by[j]
	}
	if n > 0 {
		percent = fmt.Sprintf("%.0f", 100*float64(by["true"])/float64(n))
	}
	fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %s |\n", name, n, by["true"], by["harmless"], by["false"], percent)
}
