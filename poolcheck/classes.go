package poolcheck

import (
	"embed"
	"fmt"
	"strings"
)

// A Class is one kind of misuse.
type Class struct {
	Code   string // such as OCT001
	Title  string // two or three words
	Text   string // one sentence
	AtRuns bool   // what runs finds it: poolcheck test, or checked mode; the analyzer does not
}

// Classes are the kinds of misuse that poolcheck reports, by their codes.
var Classes = []Class{
	{"OCT001", "use after release", "Pooled memory, or something that shows it, is read or written after its release.", false},
	{"OCT002", "alias escape", "A slice, string, reader or closure over pooled memory outlives its release.", false},
	{"OCT003", "double release", "The same memory is released twice.", false},
	{"OCT004", "missing release", "A path ends without releasing the memory or handing it over.", false},
	{"OCT005", "race after release", "Memory is released while another goroutine may still use it.", false},
	{"OCT006", "part released", "A part of the memory is released in place of the whole.", false},
	{"OCT007", "foreign release", "Memory is released into a pool that it did not come from, or while somebody else owns it.", true},
	{"OCT008", "grown and lost", "An append moved the content, and the old slice is still used or released.", false},
	{"OCT011", "stale window", "What a StreamDecoder has shown of its buffer is used, or kept, after it has read on.", false},
}

//go:embed docs/OCT*.md
var pages embed.FS

// Page returns the page, in Markdown, that explains a code, and whether there is
// one.
func Page(code string) (text string, ok bool) {
	page, err := pages.ReadFile("docs/" + strings.ToUpper(code) + ".md")
	return string(page), err == nil
}

// Codes are those that are reported; nil stands for the default.
type Codes map[string]bool

// ParseCodes returns the codes in list, which commas separate, or of which "all" has all.
func ParseCodes(list string) (Codes, error) {
	var codes Codes
	add := func(code string) {
		if codes == nil {
			codes = make(Codes)
		}
		codes[code] = true
	}
	for code := range strings.SplitSeq(list, ",") {
		code = strings.ToUpper(strings.TrimSpace(code))
		if code == "" {
			continue
		}
		known := code == "ALL"
		for _, c := range Classes {
			switch {
			case code == c.Code && c.AtRuns:
				return nil, fmt.Errorf("%s is not found in the source, but by poolcheck test or in checked mode: see poolcheck help %[1]s", code)
			case code == c.Code || code == "ALL" && !c.AtRuns:
				known = true
				add(c.Code)
			}
		}
		if !known {
			return nil, fmt.Errorf("%q is none of all and %s to %s", code, Classes[0].Code, Classes[len(Classes)-1].Code)
		}
	}
	return codes, nil
}

// want reports whether a report of code is wanted, on memory that somebody counts or not. By default
// what corrupts is, and memory that is lost where that is counted.
func (c Codes) want(code string, counted bool) bool {
	if c == nil {
		return code != "OCT004" || counted
	}
	return c[code]
}
