package oct002

import (
	"errors"
	"regexp"
	"strings"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
)

func textOf(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

var word = regexp.MustCompile(`\w+`)

// bad: a match is a part of what was searched.
func wordOf() []byte {
	p := bytespool.New(512)
	defer bytespool.Release(p)
	return word.Find(p) // want "OCT002: p outlives.*"
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
	p := bytespool.New(512)
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
	p := bytespool.New(64)
	state := formatState{&p, write}
	defer state.free()
	groups := state.groups
	state.groups = nil
	quiet(&state)
	state.groups = groups
	state.flush()
}

// bad: a string that has nothing to replace is returned as it is.
func lowered(key string) string {
	b := append(bytespool.Make(len(key)), key...)
	defer bytespool.Release(b)
	return strings.ToLower(textOf(b)) // want "OCT002: .*b.*"
}
