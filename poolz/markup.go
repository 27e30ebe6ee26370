package poolz

import (
	"bytes"
	"fmt"
	"html"
	"strings"
)

// A markup is HTML that is being written. Names of pools and reports come into it from
// outside, so that everything but numbers and constants is escaped.
type markup struct{ bytes.Buffer }

// A raw is HTML, and is not escaped. It is a constant.
type raw string

// add writes a format of HTML with its arguments. What is not a raw, a number or a bool
// is text: it may stand between tags, and in the value of an attribute between double
// quotes.
func (m *markup) add(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case raw, int, int64, bool:
		default:
			args[i] = escape(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(m, format, args...)
}

// escape returns text as HTML. A parser would take NUL for U+FFFD, or leave it out.
func escape(text string) string {
	return strings.ReplaceAll(html.EscapeString(text), "\x00", "\uFFFD")
}

// when returns what is written if yes.
func when(yes bool, what raw) raw {
	if yes {
		return what
	}
	return ""
}
