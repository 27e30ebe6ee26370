package oct004

import (
	"bytes"
	"encoding/json"
	"net"

	"github.com/pkg/errors"
)

// bad: a writer that is closed fails, and loses the buffer
func (g *guardedWriter) sendOrRefuse(v any) error {
	buf := settingPool.Get().(*bytes.Buffer) // want "OCT004: buf is not released.*"
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		settingPool.Put(buf)
		return errors.Wrap(err, "encode")
	}
	if g.closed {
		return errors.Errorf("closed")
	}
	_, err := g.w.Write(buf.Bytes())
	settingPool.Put(buf)
	return errors.WithStack(err)
}

// bad: the same, with an error around another
func (g *guardedWriter) sendOrWrap(v any) error {
	buf := settingPool.Get().(*bytes.Buffer) // want "OCT004: buf is not released.*"
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		settingPool.Put(buf)
		return errors.Wrap(err, "encode")
	}
	if g.closed {
		return errors.WithStack(net.ErrClosed)
	}
	_, err := g.w.Write(buf.Bytes())
	settingPool.Put(buf)
	return err
}
