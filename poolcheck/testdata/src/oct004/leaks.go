// Package oct004 holds paths that end without releasing or handing over, and
// code that looks like one and is not.
package oct004

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: Copy hands out pooled memory of its own.
func copyForgotten(w io.Writer, msg *earlier.Buffer) error {
	snap := msg.Copy() // want "OCT004: .*snap.*"
	_, err := w.Write(snap)
	return err
}

// bad: the detached bytes are the caller's to release.
func detachForgotten(w io.Writer, text string) error {
	msg := buffer.Get()
	msg.WriteString(text)
	own := msg.Detach() // want "OCT004: .*(own|msg).*"
	_, err := w.Write(own)
	return err
}

// bad: the variable is overwritten while it holds the only way back.
func overwritten(w io.Writer, a, b string) {
	msg := append(bytespool.Make(len(a)), a...) // want "OCT004: .*msg.*"
	w.Write(msg)
	msg = append(bytespool.Make(len(b)), b...)
	w.Write(msg)
	bytespool.Release(msg)
}

// bad: a BufPool too.
func bufPoolLeak(p *bytespool.BufPool, dst io.Writer, src io.Reader) error {
	b := p.Get() // want "OCT004: .*b.*"
	if _, err := io.CopyBuffer(dst, src, b); err != nil {
		return err
	}
	p.Put(b)
	return nil
}

// bad: sync.Pool, where the other path of the function does put.
func syncPoolOtherPath(w http.ResponseWriter, v any) {
	buf := bufPool.Get().(*bytes.Buffer) // want "OCT004: .*buf.*"
	buf.Reset()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(buf.Bytes())
	bufPool.Put(buf)
}

var readerPool = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// ok: a hijacked connection takes its reader along; others give it back.
func serve(c net.Conn, hijack func(net.Conn, *bufio.Reader) bool) {
	br := readerPool.Get().(*bufio.Reader)
	br.Reset(c)
	if hijack(c, br) {
		return
	}
	br.Reset(nil)
	readerPool.Put(br)
}
