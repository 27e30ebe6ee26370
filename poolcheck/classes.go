package poolcheck

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// A Class is one kind of misuse.
type Class struct {
	Code  string // such as OCT001
	Title string // two or three words
	Text  string // one sentence
}

// Classes are the kinds of misuse that the analyzer reports, by their codes.
var Classes = []Class{
	{"OCT001", "use after release", "Pooled memory, or something that shows it, is read or written after its release."},
	{"OCT002", "alias escape", "A slice, string, reader or closure over pooled memory outlives its release."},
	{"OCT003", "double release", "The same memory is released twice."},
	{"OCT004", "missing release", "A path ends without releasing the memory or handing it over."},
	{"OCT005", "race after release", "Memory is released while another goroutine may still use it."},
	{"OCT006", "part released", "A part of the memory is released in place of the whole."},
	{"OCT007", "foreign release", "Memory is released into a pool that it did not come from, or while somebody else owns it."},
	{"OCT008", "grown and lost", "An append moved the content, and the old slice is still used or released."},
}

//go:embed docs/OCT*.md
var pages embed.FS

// Page returns the page, in Markdown, that explains a code, and whether there is
// one.
func Page(code string) (text string, ok bool) {
	page, err := pages.ReadFile("docs/" + strings.ToUpper(code) + ".md")
	return string(page), err == nil
}

// ParseCodes returns the set of the codes in list, which commas separate, and nil if
// there are none.
func ParseCodes(list string) (map[string]bool, error) {
	var codes map[string]bool
	for code := range strings.SplitSeq(list, ",") {
		if code = strings.ToUpper(strings.TrimSpace(code)); code == "" {
			continue
		}
		if !slices.ContainsFunc(Classes, func(c Class) bool { return c.Code == code }) {
			return nil, fmt.Errorf("%q is none of %s to %s", code, Classes[0].Code, Classes[len(Classes)-1].Code)
		}
		if codes == nil {
			codes = make(map[string]bool)
		}
		codes[code] = true
	}
	return codes, nil
}
