package oct001

import (
	"context"
	"io"
	"log"
	"net"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// bad: continue jumps back after the release.
func continueAfterRelease(conn net.PacketConn, handle func([]byte)) {
	pkt := bytespool.New(1500)
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
	buf := bytespool.New(512)
	total := 0
	for {
		if total == len(buf) {
			bigger := bytespool.New(2 * len(buf))
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
	buf := bytespool.New(512)
	total := 0
	for {
		if total == len(buf) {
			bytespool.Release(buf)
			bigger := bytespool.New(2 * len(buf))
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
	prev := bytespool.New(1024)
	for {
		cur := bytespool.New(1024)
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
	msg := bytespool.New(64)
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

// ok: log.Fatal does not return.
func fatalAfterRelease(w io.Writer, r io.Reader) {
	b := bytespool.New(16)
	if _, err := io.ReadFull(r, b); err != nil {
		bytespool.Release(b)
		log.Fatal(err)
	}
	w.Write(b)
	bytespool.Release(b)
}

// ok: the literal is called before the release.
func flushLiteralFirst(w io.Writer, r io.Reader) {
	buf := bytespool.New(100)
	n, _ := r.Read(buf)
	flush := func() { w.Write(buf[:n]) }
	flush()
	bytespool.Release(buf)
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
