package oct002

import (
	"io"

	"github.com/octet-go/octet/bytespool/buffer"
)

type table struct{ m map[int]*buffer.Buffer }

// ok: the entry is deleted before the release.
func (t *table) during(id int, r io.Reader) error {
	b := buffer.Get(1024)
	t.m[id] = b
	defer func() {
		delete(t.m, id)
		b.Release()
	}()
	_, err := b.ReadFrom(r)
	return err
}

// bad: the entry stays.
func (t *table) after(id int, r io.Reader) error {
	b := buffer.Get(1024)
	t.m[id] = b // want "OCT002: .*b.*"
	defer b.Release()
	_, err := b.ReadFrom(r)
	return err
}

// ok: the map is cleared.
func (t *table) cleared(id int, r io.Reader) error {
	b := buffer.Get(1024)
	t.m[id] = b
	_, err := b.ReadFrom(r)
	clear(t.m)
	b.Release()
	return err
}
