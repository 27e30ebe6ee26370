package alike

import "github.com/octet-go/octet/bytespool"

// A letter has pooled memory until Close, and a name for ever.
type letter struct {
	text []byte
	name string
}

func newLetter(name string) *letter { return &letter{bytespool.New(10), name} }

func (l *letter) Close() {
	bytespool.Release(l.text)
	l.text = nil
}

func (l *letter) Name() string { return l.name }

// ok: Close released the memory of the struct, and not the struct.
func closedAndNamed(name string) string {
	l := newLetter(name)
	l.Close()
	return l.Name()
}

// ok: the second Close has nothing to release.
func closedTwice(name string) {
	l := newLetter(name)
	defer l.Close()
	l.text[0] = 1
	l.Close()
}
