// Package bug answers requests with files, and names them in the
// Content-Disposition header.
package bug

import (
	"net/url"
	"path/filepath"
	"unsafe"

	"github.com/valyala/bytebufferpool"
)

const (
	headerDisposition = "Content-Disposition"
	upperhex          = "0123456789ABCDEF"
)

type config struct {
	// Immutable makes everything that a handler gets live longer than its
	// request.
	Immutable bool
}

type app struct {
	config   config
	toString func(b []byte) string
	toBytes  func(s string) []byte
}

func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
func viewBytes(s string) []byte  { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func newApp(c config) *app {
	a := &app{config: c, toString: viewString, toBytes: viewBytes}
	if c.Immutable {
		a.toString = func(b []byte) string { return string(b) }
		a.toBytes = func(s string) []byte { return []byte(s) }
	}
	return a
}

// appendPercent appends src as %XX.
func appendPercent(dst, src []byte) []byte {
	for _, c := range src {
		dst = append(dst, '%', upperhex[c>>4], upperhex[c&15])
	}
	return dst
}

// percent is for names in ASCII.
func (a *app) percent(raw string) string {
	bb := bytebufferpool.Get()
	quoted := a.toString(appendPercent(bb.B, a.toBytes(raw)))
	bytebufferpool.Put(bb)
	return quoted
}

// backslash is for names with other letters: it changes only what would end
// the quotes.
func (a *app) backslash(raw string) string {
	bb := bytebufferpool.Get()
	defer bytebufferpool.Put(bb)

	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '"' || c == '\\':
			bb.B = append(bb.B, '\\', c)
		default:
			bb.B = append(bb.B, c)
		}
	}

	return a.toString(bb.B)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] > 127 {
			return false
		}
	}
	return true
}

type response struct {
	app    *app
	header map[string]string
}

func (r *response) set(key, value string) { r.header[key] = value }

func (r *response) disposition(name string) {
	var quoted string
	if isASCII(name) {
		quoted = r.app.percent(name)
	} else {
		quoted = r.app.backslash(name)
	}
	value := `attachment; filename="` + quoted + `"`
	if !isASCII(name) {
		value += `; filename*=UTF-8''` + url.PathEscape(name)
	}
	r.set(headerDisposition, value)
}

// Attachment says that the body is to be saved, under a name if there is one.
func (r *response) Attachment(filename ...string) {
	if len(filename) == 0 {
		r.set(headerDisposition, "attachment")
		return
	}
	name := filepath.Base(filename[0])
	r.disposition(name)
}
