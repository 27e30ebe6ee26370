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
		var want []byte
		for _, w := range s.writers {
			got := w.loop(2, nil, &sample)
			if want == nil {
				want = got
			}
			if int64(len(got)) != s.size || !bytes.Equal(got, want) {
				t.Errorf("%s writes of the %s sequence: % x, want % x", w.name, s.name, got, want)
			}
		}
		for _, rd := range s.readers {
			var r record
			if err := rd.loop(2, &r, want); err != nil {
				t.Errorf("%s: %v", rd.name, err)
			}
			if got := s.writers[0].loop(1, nil, &r); !bytes.Equal(got, want) {
				t.Errorf("%s reads of the %s sequence: % x, want % x", rd.name, s.name, got, want)
			}
			if err := rd.loop(1, &r, want[:len(want)-1]); err == nil {
				t.Errorf("%s reads the %s sequence from too little", rd.name, s.name)
			}
		}
	}

	if a, b := nested(nil), cryptoNested(nil); len(a) != 21 || !bytes.Equal(a, b) {
		t.Errorf("nested prefixes: % x, cryptobyte % x", a, b)
	}

	want := handAppendLong(nil, &sample)
	var ours, theirs bytes.Buffer
	e, w := binary.NewStreamEncoder[binary.Little](&ours), bufio.NewWriter(&theirs)
	encodeLong(e, &sample)
	bufioWriteLong(w, &sample)
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

	for _, row := range binaryAppendRows() {
		for _, c := range row.Contestants {
			c.Start().Do(3)
		}
	}
}
