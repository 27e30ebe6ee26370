package oct001

import (
	"io"
	"log"
	"net"

	"github.com/octet-go/octet/bytespool"
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
