package groups

import (
	"bytes"
	"testing"

	"github.com/octet-go/octet/binary"
)

// The contestants of a row write the same bytes, and read the same record.
func TestBinaryContestantsAgree(t *testing.T) {
	for _, c := range []struct {
		name  string
		want  []byte
		chain func(*binary.WriteChain, *record)
		std   func(*bytes.Buffer) error
	}{
		{"small", handAppendSmall(nil, &sample), chainSmall, func(b *bytes.Buffer) error { return stdWriteSmall(b, &sample) }},
		{"medium", handAppendMedium(nil, &sample), chainMedium, func(b *bytes.Buffer) error { return stdWriteMedium(b, &sample) }},
		{"long", handAppendLong(nil, &sample), chainLong, func(b *bytes.Buffer) error { return stdWriteLong(b, &sample) }},
	} {
		var ours, std bytes.Buffer
		chain := binary.WriteChain{Writer: &ours, ByteOrder: binary.LittleEndian}
		c.chain(&chain, &sample)
		if _, err := chain.End(); err != nil {
			t.Fatal(err)
		}
		if err := c.std(&std); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours.Bytes(), c.want) || !bytes.Equal(std.Bytes(), c.want) {
			t.Errorf("%s: octet writes %x, encoding/binary %x, by hand %x", c.name, ours.Bytes(), std.Bytes(), c.want)
		}
	}
	long := handAppendLong(nil, &sample)
	var a, b record
	in := binary.Reader{Reader: bytes.NewReader(long), ByteOrder: binary.LittleEndian}
	readLong(&in, &a)
	if n, err := in.End(); n != len(long) || err != nil {
		t.Fatal(n, err)
	}
	if err := stdReadLong(bytes.NewReader(long), &b); err != nil {
		t.Fatal(err)
	}
	a.b1, b.b1 = sample.b1, sample.b1 // not in the sequence
	if a != sample || b != sample {
		t.Errorf("octet reads %+v, encoding/binary %+v, want %+v", a, b, sample)
	}
}
