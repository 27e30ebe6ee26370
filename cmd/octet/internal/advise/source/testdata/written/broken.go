package written

import (
	"encoding/hex"
	"io"
)

// These do not compile.

func brokenCopy(n int) {
	b := make([]byte, n) // clear: line +1
	copy(b)
}

func brokenEncode(p []byte) {
	b := make([]byte, hex.EncodedLen(len(p))) // clear: line +1
	hex.Encode(b)
}

func brokenRead(r io.Reader, n int) error {
	b := make([]byte, n) // clear: line +1
	if err := io.ReadFull(r, b); err != nil {
		return err
	}
	return nil
}

func brokenReadFull(n int) error {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(b); err != nil {
		return err
	}
	return nil
}

func brokenReadAtLeast(n int) error {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadAtLeast(b, len(b)); err != nil {
		return err
	}
	return nil
}

func brokenLength(p []byte) {
	b := make([]byte, hex.EncodedLen()) // clear: line +1
	hex.Encode(b, p)
}

func brokenNames() {
	b := make([]byte, len(lost)) // clear: line +1
	copy(b, missing)
}
