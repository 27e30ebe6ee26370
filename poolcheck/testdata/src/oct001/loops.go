package oct001

import (
	"context"
	"io"
	"log"
	"net"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// bad: continue jumps back after the release.
func continueAfterRelease(conn net.PacketConn, handle func([]byte)) {
	pkt := bytespool.Get(1500)
	for {
		n, _, err := conn.ReadFrom(pkt) // want "OCT001: .*pkt.*"
		if err != nil {
			bytespool.Release(pkt)
			continue
		}
		handle(pkt[:n])
	}
}

// ok: the buffer grows by a swap: the old one is released, the new one used.
func growingRead(r io.Reader) (int, error) {
	buf := bytespool.Get(512)
	total := 0
	for {
		if total == len(buf) {
			bigger := bytespool.Get(2 * len(buf))
			copy(bigger, buf)
			bytespool.Release(buf)
			buf = bigger
		}
		n, err := r.Read(buf[total:])
		total += n
		if err != nil {
			bytespool.Release(buf)
			return total, err
		}
	}
}

// bad: the old buffer is copied after it was released.
func growingReadSwapped(r io.Reader) (int, error) {
	buf := bytespool.Get(512)
	total := 0
	for {
		if total == len(buf) {
			bytespool.Release(buf)
			bigger := bytespool.Get(2 * len(buf))
			copy(bigger, buf) // want "OCT001: .*buf.*"
			buf = bigger
		}
		n, err := r.Read(buf[total:])
		total += n
		if err != nil {
			bytespool.Release(buf)
			return total, err
		}
	}
}

// ok: two slots that are swapped; each is released when it is the old one.
func doubleBuffer(r io.Reader, diff func(a, b []byte)) {
	prev := bytespool.Get(1024)
	for {
		cur := bytespool.Get(1024)
		if _, err := io.ReadFull(r, cur); err != nil {
			bytespool.Release(prev)
			bytespool.Release(cur)
			return
		}
		diff(prev, cur)
		bytespool.Release(prev)
		prev = cur
	}
}

// bad: a receive releases, and the code behind the select uses.
func selectArmReleases(ctx context.Context, w io.Writer, r io.Reader, ready <-chan int) {
	msg := bytespool.Get(64)
	io.ReadFull(r, msg)
	select {
	case <-ctx.Done():
		bytespool.Release(msg)
	case <-ready:
		log.Print("ready")
	}
	w.Write(msg) // want "OCT001: .*msg.*"
	bytespool.Release(msg)
}

// ok: the arm that gave the buffer away continues with a new one.
func selectArmReplaces(ctx context.Context, r io.Reader, out chan<- []byte) {
	msg := bytespool.Get(64)
	for {
		if _, err := io.ReadFull(r, msg); err != nil {
			bytespool.Release(msg)
			return
		}
		select {
		case out <- msg:
			msg = bytespool.Get(64)
		case <-ctx.Done():
			bytespool.Release(msg)
			return
		}
	}
}

// ok: log.Fatal does not return.
func fatalAfterRelease(w io.Writer, r io.Reader) {
	b := bytespool.Get(16)
	if _, err := io.ReadFull(r, b); err != nil {
		bytespool.Release(b)
		log.Fatal(err)
	}
	w.Write(b)
	bytespool.Release(b)
}

// session owns a read buffer from newSession to close.
type session struct {
	mu  sync.Mutex
	in  []byte
	out *buffer.Buffer
}

// bad: the field still names the memory that was released a line before.
func (s *session) shutdown(w io.Writer) {
	bytespool.Release(s.in)
	w.Write(s.in) // want "OCT001: .*in.*"
	s.in = nil
}

// bad: the local copy of the field outlives the field's release.
func (s *session) rotate(w io.Writer) {
	old := s.in
	bytespool.Release(s.in)
	s.in = bytespool.Get(4096)
	w.Write(old) // want "OCT001: .*(old|in).*"
}

// ok: the literal is called before the release.
func flushLiteralFirst(w io.Writer, r io.Reader) {
	buf := bytespool.Get(100)
	n, _ := r.Read(buf)
	flush := func() { w.Write(buf[:n]) }
	flush()
	bytespool.Release(buf)
}

// ok: a Buffer that is declared, not taken from a pool, is empty and ready for
// use after a release.
func declaredReused(w io.Writer, lines []string) {
	var line buffer.Buffer
	for _, l := range lines {
		line.WriteString(l)
		w.Write(line.Bytes())
		line.Release()
	}
	line.WriteString("end")
	w.Write(line.B)
	line.Release()
}

// framed has two Buffers of its own.
type framed struct {
	head, body buffer.Buffer
	spare      [2]buffer.Buffer
}

func (f *framed) reset() {
	f.head.Release()
	f.body.Release()
}

// ok: fields and elements that are Buffers are ready for use, too, and the one
// has nothing to do with the other.
func (f *framed) send(w io.Writer, text string) {
	f.head.WriteByte(byte(len(text)))
	f.body.WriteString(text)
	w.Write(f.head.Bytes())
	f.head.Release()
	w.Write(f.body.Bytes())
	f.body.Release()
	f.reset()
	for i := range f.spare {
		f.spare[i].Release()
	}
	f.spare[0].WriteString("again")
	f.spare[0].Release()
	f.head.WriteString("again")
}

// ok: a helper's release leaves a declared Buffer ready for use.
func declaredInHelper(w io.Writer, f *framed) {
	var line buffer.Buffer
	line.WriteString("one")
	giveBack(&line)
	line.WriteString("two")
	w.Write(line.Bytes())
	giveBack(&line)
	f.reset()
	f.head.WriteString("three")
}

func giveBack(b *buffer.Buffer) { b.Release() }
