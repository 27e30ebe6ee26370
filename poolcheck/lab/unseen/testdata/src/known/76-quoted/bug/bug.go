// Package bug answers requests with files, and names them in the
// Content-Disposition header.
package bug

import (
	"fmt"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/valyala/bytebufferpool"
)

const (
	headerDisposition = "Content-Disposition"
	headerType        = "Content-Type"
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

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("*-._/", c) >= 0
}

// appendPercent appends src with all that is not plain as %XX.
func appendPercent(dst, src []byte) []byte {
	for _, c := range src {
		switch {
		case c == ' ':
			dst = append(dst, '+')
		case unreserved(c):
			dst = append(dst, c)
		default:
			dst = append(dst, '%', upperhex[c>>4], upperhex[c&15])
		}
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
		case c == '\n':
			bb.B = append(bb.B, '\\', 'n')
		case c == '\r':
			bb.B = append(bb.B, '\\', 'r')
		case c < 0x20 || c == 0x7f:
			bb.B = append(bb.B, '%', upperhex[c>>4], upperhex[c&15])
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

func usable(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == 0 || r == '/' {
			return -1
		}
		return r
	}, name)
	if name == "" || name == "." {
		return "download"
	}
	return name
}

type response struct {
	app    *app
	header map[string]string
	body   []byte
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
	name := usable(filepath.Base(filename[0]))
	r.set(headerType, mime.TypeByExtension(filepath.Ext(name)))
	r.disposition(name)
}

// Download answers with a file.
func (r *response) Download(file string, filename ...string) error {
	name := filepath.Base(file)
	if len(filename) > 0 {
		name = filename[0]
	}
	r.disposition(usable(name))
	body, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("downloading: %w", err)
	}
	r.body = body
	return nil
}
