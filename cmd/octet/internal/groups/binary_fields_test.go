package groups

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/octet-go/octet/binary"
)

// All contestants of a row do the same work.
func TestBinarySliceContestants(t *testing.T) {
	for _, s := range sequences {
		octet := s.coders[0]
		want := octet.append(nil, &example)
		for _, c := range s.coders {
			if got := c.append(nil, &example); len(got) != s.size || !bytes.Equal(got, want) {
				t.Errorf("%s writes of the %s sequence: % x, want % x", c.name, s.name, got, want)
			}
			var r record
			if err := c.decode(&r, want); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if got := octet.append(nil, &r); !bytes.Equal(got, want) {
				t.Errorf("%s reads of the %s sequence: % x, want % x", c.name, s.name, got, want)
			}
			if err := c.decode(&r, want[:len(want)-1]); err == nil {
				t.Errorf("%s reads the %s sequence from too little", c.name, s.name)
			}
		}
	}

	want := handAppendLong(nil, &example)
	var ours, theirs bytes.Buffer
	e, w := binary.NewStreamEncoder[binary.Little](&ours), bufio.NewWriter(&theirs)
	encodeLong(e, &example)
	bufioWriteLong(w, &example)
	if e.Flush() != nil || w.Flush() != nil || !bytes.Equal(ours.Bytes(), want) || !bytes.Equal(theirs.Bytes(), want) {
		t.Errorf("streams: % x and % x, want % x", ours.Bytes(), theirs.Bytes(), want)
	}
	for name, read := range map[string]func(r *record) error{
		"octet": func(r *record) error {
			return streamDecodeLong(r, binary.NewStreamDecoder[binary.Little](&endless{record: want}))
		},
		"bufio": func(r *record) error {
			return bufioReadLong(r, bufio.NewReader(&endless{record: want}), make([]byte, 8))
		},
	} {
		var r record
		if err := read(&r); err != nil || !bytes.Equal(handAppendLong(nil, &r), want) {
			t.Errorf("%s reads from a stream: %v, %v", name, r, err)
		}
	}
}
