// Package oct004 holds paths that end without releasing or handing over, and
// code that looks like one and is not.
package oct004

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"

	"oct004/take"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var errTooLong = errors.New("too long")

// bad: the error path returns without a release.
func readFrame(r io.Reader) (uint32, error) {
	frame := bytespool.Get(64) // want "OCT004: .*frame.*"
	if _, err := io.ReadFull(r, frame); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(frame)
	bytespool.Release(frame)
	return n, nil
}

// ok: the error path releases.
func readFrameRight(r io.Reader) (uint32, error) {
	frame := bytespool.Get(64)
	if _, err := io.ReadFull(r, frame); err != nil {
		bytespool.Release(frame)
		return 0, err
	}
	n := binary.BigEndian.Uint32(frame)
	bytespool.Release(frame)
	return n, nil
}

// bad: of several early returns one was forgotten.
func parseRequest(r io.Reader, max int) error {
	line := bytespool.Get(4096) // want "OCT004: .*line.*"
	n, err := r.Read(line)
	if err != nil {
		bytespool.Release(line)
		return err
	}
	if n > max {
		return errTooLong
	}
	if line[0] == 0 {
		bytespool.Release(line)
		return fmt.Errorf("bad first byte")
	}
	bytespool.Release(line)
	return nil
}

// ok: one defer covers all returns.
func parseRequestDefer(r io.Reader, max int) error {
	line := bytespool.Get(4096)
	defer bytespool.Release(line)
	n, err := r.Read(line)
	if err != nil {
		return err
	}
	if n > max {
		return errTooLong
	}
	return nil
}

// bad: a Buffer that is written, copied into a string, and forgotten.
func greeting(name string) string {
	msg := buffer.Get() // want "OCT004: .*msg.*"
	msg.WriteString("hello, ")
	msg.WriteString(name)
	return msg.String()
}

// ok: the same with a release.
func greetingRight(name string) string {
	msg := buffer.Get()
	defer msg.Release()
	msg.WriteString("hello, ")
	msg.WriteString(name)
	return msg.String()
}

// bad: Copy hands out pooled memory of its own.
func copyForgotten(w io.Writer, msg *buffer.Buffer) error {
	snap := msg.Copy() // want "OCT004: .*snap.*"
	_, err := w.Write(snap)
	return err
}

// bad: the detached bytes are the caller's to release.
func detachForgotten(w io.Writer, text string) error {
	msg := buffer.NewString(text)
	own := msg.Detach() // want "OCT004: .*(own|msg).*"
	_, err := w.Write(own)
	return err
}

// bad: the variable is overwritten while it holds the only way back.
func overwritten(w io.Writer, a, b string) {
	msg := bytespool.NewString(a) // want "OCT004: .*msg.*"
	w.Write(msg)
	msg = bytespool.NewString(b)
	w.Write(msg)
	bytespool.Release(msg)
}

// bad: every round but the last is lost.
func overwrittenInLoop(w io.Writer, lines []string) {
	var msg []byte
	for _, line := range lines {
		msg = bytespool.NewString(line) // want "OCT004: .*msg.*"
		w.Write(msg)
	}
	bytespool.Release(msg)
}

// ok: every round releases.
func everyRound(w io.Writer, lines []string) {
	for _, line := range lines {
		msg := bytespool.NewString(line)
		w.Write(msg)
		bytespool.Release(msg)
	}
}

// ok: the release comes before continue.
func continueReleases(w io.Writer, lines []string) {
	for _, line := range lines {
		msg := bytespool.NewString(line)
		if msg[0] == '#' {
			bytespool.Release(msg)
			continue
		}
		w.Write(msg)
		bytespool.Release(msg)
	}
}

// bad: break leaves the loop with the chunk of the last round.
func breakSkips(dst io.Writer, src io.Reader) {
	for {
		chunk := bytespool.Get(4096) // want "OCT004: .*chunk.*"
		n, err := src.Read(chunk)
		if err != nil {
			break
		}
		dst.Write(chunk[:n])
		bytespool.Release(chunk)
	}
}

// bad: the timeout's arm forgets the message.
func selectForgets(ctx context.Context, out chan<- []byte, text string) error {
	msg := bytespool.NewString(text) // want "OCT004: .*msg.*"
	select {
	case out <- msg:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ok: the timeout's arm releases.
func selectReleases(ctx context.Context, out chan<- []byte, text string) error {
	msg := bytespool.NewString(text)
	select {
	case out <- msg:
		return nil
	case <-ctx.Done():
		bytespool.Release(msg)
		return ctx.Err()
	}
}

// bad: a non-blocking send that drops the message drops the memory.
func dropForgets(out chan<- []byte, text string) bool {
	msg := bytespool.NewString(text) // want "OCT004: .*msg.*"
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

// ok: a helper that takes over.
func takenOver(w io.Writer, text string) error {
	msg := bytespool.NewString(text)
	return take.Over(w, msg)
}

// bad: the helper takes over, but an error before it leaves.
func takenOverLate(w io.Writer, r io.Reader) error {
	msg := bytespool.Get(64) // want "OCT004: .*msg.*"
	if _, err := io.ReadFull(r, msg); err != nil {
		return err
	}
	return take.Over(w, msg)
}

// ok: a queue keeps the message and releases later.
func queued(o *take.Outbox, text string) {
	msg := bytespool.NewString(text)
	o.Add(msg)
}

// ok: an interface may take over; the checker cannot see it and says nothing.
func toInterface(s take.Sink, text string) {
	msg := bytespool.NewString(text)
	s.Put(msg)
}

// bad: an io.Writer never takes over.
func toWriter(w io.Writer, text string) error {
	msg := bytespool.NewString(text) // want "OCT004: .*msg.*"
	_, err := w.Write(msg)
	return err
}

// bad: a pool of one's own leaks like the default one.
func ownPool(p *bytespool.CapacityPools, r io.Reader) error {
	b := p.Get(128) // want "OCT004: .*b.*"
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

// SeedPool is for whoever wants it.
var SeedPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: too large a buffer is left to the collector on purpose.
func syncPoolSizeGuard(w io.Writer, v any) error {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	err := json.NewEncoder(buf).Encode(v)
	w.Write(buf.Bytes())
	if buf.Cap() <= 64<<10 {
		bufPool.Put(buf)
	}
	return err
}

// bad: mcache, where the other path does free.
func mcacheOtherPath(r io.Reader, n int) (uint16, error) {
	p := mcache.Malloc(n) // want "OCT004: .*p.*"
	if _, err := io.ReadFull(r, p); err != nil {
		return 0, err
	}
	v := binary.LittleEndian.Uint16(p)
	mcache.Free(p)
	return v, nil
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
	b := bytespool.Get(64)
	f, err := os.Open(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	f.Read(b)
	bytespool.Release(b)
}

// ok: a panic is no path that ends in peace.
func panics(r io.Reader) byte {
	b := bytespool.Get(1)
	if _, err := io.ReadFull(r, b); err != nil {
		panic(err)
	}
	c := b[0]
	bytespool.Release(b)
	return c
}
