package oct002

import (
	"bufio"
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
)

func textOf(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

// bad: the response goes on reading the buffer.
func responseOf(req *http.Request) (*http.Response, error) {
	p := bytespool.Get(512)
	defer bytespool.Release(p)
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(p)), req) // want "OCT002: p outlives.*"
}

// bad: the parts of a URL are parts of the string that it was parsed from.
func urlOf() (*url.URL, error) {
	p := bytespool.Get(512)
	defer bytespool.Release(p)
	return url.Parse(textOf(p)) // want "OCT002: p outlives.*"
}

var word = regexp.MustCompile(`\w+`)

// bad: a match is a part of what was searched.
func wordOf() []byte {
	p := bytespool.Get(512)
	defer bytespool.Release(p)
	return word.Find(p) // want "OCT002: p outlives.*"
}

// ok: ReplaceAll copies.
func withoutWords() []byte {
	p := bytespool.Get(512)
	defer bytespool.Release(p)
	return word.ReplaceAll(p, nil)
}

func linesOf(p []byte) (lines []string) {
	for _, line := range bytes.Split(p, []byte("\n")) {
		lines = append(lines, textOf(line))
	}
	return lines
}

// ok: every line is replaced by a copy.
func clonedLines() []string {
	p := bytespool.Get(512)
	defer bytespool.Release(p)
	lines := linesOf(p)
	for i, line := range lines {
		lines[i] = strings.Clone(line)
	}
	return lines
}

// bad: only the long lines are.
func longLinesCloned() []string {
	p := bytespool.Get(512)
	defer bytespool.Release(p)
	lines := linesOf(p)
	for i, line := range lines {
		if len(line) > 80 {
			lines[i] = strings.Clone(line)
		}
	}
	return lines // want "OCT002: p outlives.*"
}

type document struct{ text []byte }

func (d *document) parse(p []byte) { d.text = p }

// bad: the document that a goroutine sends shows the block that it puts back.
func parseBeside(out chan<- *document) {
	p := bytespool.Get(512)
	text := bytes.TrimSpace(p)
	go func() {
		defer bytespool.Release(p)
		d := new(document)
		d.parse(text)
		out <- d // want "OCT002: p outlives.*"
	}()
}

// ok: the document has a copy.
func parseCopyBeside(out chan<- *document) {
	p := bytespool.Get(512)
	text := bytes.TrimSpace(p)
	go func() {
		defer bytespool.Release(p)
		d := new(document)
		d.parse(bytes.Clone(text))
		out <- d
	}()
}

func fillOf(p []byte) (int, error) {
	if len(p) < 100 {
		return 0, errShort
	}
	return len(p), nil
}

var errShort = errors.New("short")

// ok: what is returned beside an error is not looked at.
func besideError() (int, []byte, error) {
	p := bytespool.Get(512)
	n, err := fillOf(p)
	if err != nil {
		bytespool.Release(p)
	}
	return n, p, err
}

type formatState struct {
	groups *[]byte
	write  func([]byte)
}

func (s *formatState) free() {
	if gs := s.groups; gs != nil {
		bytespool.Release(*gs)
	}
}

func (s *formatState) flush() { s.write(*s.groups) }

// ok: the field of a local variable is set to nil for a while.
func formatInGroups(write func([]byte), quiet func(*formatState)) {
	p := bytespool.Get(64)
	state := formatState{&p, write}
	defer state.free()
	groups := state.groups
	state.groups = nil
	quiet(&state)
	state.groups = groups
	state.flush()
}
