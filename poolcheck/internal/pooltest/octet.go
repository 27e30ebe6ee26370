package pooltest

import (
	"regexp"
	"slices"
)

// Octet's own pools are checked by its mode full, in one more run of a package that
// depends on octet. A misuse is a panic with a report as its text.

var (
	octetReport  = regexp.MustCompile(`octet: (OCT\d+): ([^\n]+)\n\s*([^\n]+)\n((?:[ \t]+[^\n]+\n)+)`)
	octetSection = regexp.MustCompile(`(?m)^\s*(acquired|released|now):$`)
	octetFrame   = regexp.MustCompile(`(?m)^\s+(\S+)\n\s+(\S+):(\d+)$`)
)

// octet runs the tests with octet's mode full, twice, and reports what both runs show.
func (j *judge) octet() error {
	j.progress("octet's own pools")
	var before []*Finding
	for range 2 {
		o, err := j.run(&setup{records: true, octet: true}, choice{skip: j.skipped(nil)})
		if err != nil {
			return err
		}
		var now []*Finding
		for _, m := range octetReport.FindAllStringSubmatch(o.Output, -1) {
			f := &Finding{Kind: Octet, Code: m[1], Message: m[2] + ": " + m[3], Package: j.pkg}
			text := m[4]
			at := octetSection.FindAllStringSubmatchIndex(text, -1)
			for i, section := range at {
				end := len(text)
				if i+1 < len(at) {
					end = at[i+1][0]
				}
				stack := frames(text[section[1]:end], octetFrame)
				switch text[section[2]:section[3]] {
				case "now":
					f.Fault = stack
				default: // the release is behind the acquisition
					f.Put = stack
				}
			}
			if t := testOf(f.Fault); t != "" {
				f.Tests = []string{t}
			}
			if len(f.Put) > 0 {
				now = append(now, f)
			}
		}
		if before != nil {
			now = slices.DeleteFunc(now, func(f *Finding) bool {
				return !slices.ContainsFunc(before, func(g *Finding) bool { return g.Code == f.Code && g.At() == f.At() })
			})
		}
		if before = now; len(now) == 0 {
			return nil
		}
	}
	j.found = append(j.found, before...)
	return nil
}
