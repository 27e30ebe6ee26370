// Package oct004 holds paths that end without releasing or handing over, and
// code that looks like one and is not.
package oct004

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"

	"oct004/take"
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

// bad: every round but the last is lost.
func overwrittenInLoop(w io.Writer, lines []string) {
	var msg []byte
	for _, line := range lines {
		msg = append(bytespool.Make(len(line)), line...) // want "OCT004: .*msg.*"
		w.Write(msg)
	}
	bytespool.Release(msg)
}

// bad: break leaves the loop with the chunk of the last round.
func breakSkips(dst io.Writer, src io.Reader) {
	for {
		chunk := bytespool.New(4096) // want "OCT004: .*chunk.*"
		n, err := src.Read(chunk)
		if err != nil {
			break
		}
		dst.Write(chunk[:n])
		bytespool.Release(chunk)
	}
}

// bad: a non-blocking send that drops the message drops the memory.
func dropForgets(out chan<- []byte, text string) bool {
	msg := append(bytespool.Make(len(text)), text...) // want "OCT004: .*msg.*"
	select {
	case out <- msg:
		return true
	default:
		return false
	}
}

// bad: the constructor of another package hands over ownership.
func foreignConstructor(r io.Reader) int {
	p := take.New(16) // want "OCT004: .*p.*"
	n, _ := r.Read(p)
	return n
}

// ok: an interface may take over; the checker cannot see it and says nothing.
func toInterface(s take.Sink, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	s.Put(msg)
}

// bad: a pool of one's own leaks like the default one.
func ownPool(p *bytespool.Pool, r io.Reader) error {
	b := p.New(128) // want "OCT004: .*b.*"
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	p.Release(b)
	return nil
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

// bad: the callers put what they get, and get nothing on an error.
func syncPoolFactory(v any) (*bytes.Buffer, error) {
	buf := bufPool.Get().(*bytes.Buffer) // want "OCT004: .*buf.*"
	buf.Reset()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	return buf, nil
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

// ok: the process ends; nobody needs the memory back.
func exits(name string) {
	b := bytespool.New(64)
	f, err := os.Open(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	f.Read(b)
	bytespool.Release(b)
}
