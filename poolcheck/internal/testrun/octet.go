package testrun

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Octet's own pools are checked by its mode full, in one more run of a package that
// depends on octet. A misuse is a panic with a report as its text.

var octetReport = regexp.MustCompile(`octet: (OCT\d+): ([^\n]+)\n\s*([^\n]+)\n((?:[ \t]+[^\n]+\n)+)`)

// octet runs the tests with octet's mode full, twice, and reports what both runs show.
func (j *judge) octet() error {
	if !j.usesOctet {
		return nil
	}
	j.progress("octet's own pools")
	seen := make(map[string]bool)
	for second := range 2 {
		o, err := j.run(&setup{records: true, octet: true}, choice{skip: j.skipped(nil)})
		if err != nil {
			j.once = append(j.once, slices.Sorted(maps.Keys(seen))...)
			return err
		}
		for _, m := range octetReport.FindAllStringSubmatch(o.Output, -1) {
			before, now, _ := strings.Cut(m[4], "now:\n")
			_, released, _ := strings.Cut(before, "released:\n")
			f := &Finding{Kind: Octet, Code: m[1], Message: m[2] + ": " + m[3], Put: frames(released), Fault: frames(now), Package: j.pkg}
			if t := testOf(f.Fault); t != "" {
				f.Tests = []string{t}
			}
			switch key := f.Code + " at " + f.At().at(); {
			case len(f.Put) == 0:
			case second == 0:
				seen[key] = true
			case seen[key]:
				j.found = append(j.found, f)
			}
		}
	}
	return nil
}
