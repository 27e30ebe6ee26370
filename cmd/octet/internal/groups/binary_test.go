package groups

import (
	"bytes"
	"testing"

	"github.com/octet-go/octet/binary"
)

// All contestants of a row write the same bytes and read the same record.
func TestBinaryExactContestants(t *testing.T) {
	for i, s := range exactSequences {
		want := appenders[0].append[i](nil, &example)
		want = append(want, want...)
		for name, write := range map[string]func(w *bytes.Buffer){
			"octet": func(w *bytes.Buffer) {
				s.chain(2, &binary.WriteChain{Writer: w, ByteOrder: binary.LittleEndian}, &example)
			},
			"encoding/binary": func(w *bytes.Buffer) { s.stdWrite(2, w, &example) },
			"hand":            func(w *bytes.Buffer) { s.handWrite(2, w, make([]byte, 8), &example) },
		} {
			var w bytes.Buffer
			if write(&w); !bytes.Equal(w.Bytes(), want) {
				t.Errorf("%s writes of the %s sequence: % x, want % x", name, s.name, w.Bytes(), want)
			}
		}
		src := want[:s.size]
		for name, read := range map[string]func(in *bytes.Reader, r *record){
			"octet": func(in *bytes.Reader, r *record) {
				s.reader(2, in, src, &binary.Reader{Reader: in, ByteOrder: binary.LittleEndian}, r)
			},
			"encoding/binary": func(in *bytes.Reader, r *record) { s.stdRead(2, in, src, r) },
			"hand":            func(in *bytes.Reader, r *record) { s.handRead(2, in, src, make([]byte, 8), r) },
		} {
			in, r := bytes.NewReader(nil), record{}
			read(in, &r)
			if got := appenders[0].append[i](nil, &r); !bytes.Equal(got, src) || in.Len() != 0 {
				t.Errorf("%s reads of the %s sequence: % x, want % x; %d bytes are left", name, s.name, got, src, in.Len())
			}
		}
	}
}
