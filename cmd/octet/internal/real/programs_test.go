package real

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// programs are the three programs under test.
var programs = []struct {
	name  string
	start func() program
}{
	{"usual", func() program { return usual{} }},
	{"expert", func() program { return expert{} }},
	{"octet", newOctet},
}

// content returns n bytes, which differ for each seed.
func content(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8 + seed)
	}
	return b
}

// makeTree writes files below a new directory and lists them.
func makeTree(t *testing.T, files map[string][]byte) *tree {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := list(dir, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.files) != len(files) {
		t.Fatalf("listed %d files of %d", len(tr.files), len(files))
	}
	return tr
}

func write(t *testing.T, p program, tr *tree) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := p.write(tr.files, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The stream of one file, byte for byte.
func TestRecord(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"d/a": []byte("123456789")})
	f := &tr.files[0]
	f.Mode, f.ModTime = 0x1a4, 0x0102030405060708
	want := "\x03\x00\x00\x00d/a" +
		"\x09\x00\x00\x00\x00\x00\x00\x00" +
		"\xa4\x01\x00\x00" +
		"\x08\x07\x06\x05\x04\x03\x02\x01" +
		"123456789" +
		"\x83\x92\x06\xe3" // the check value of CRC-32C, 0xe3069283
	for _, p := range programs {
		if got := write(t, p.start(), tr); string(got) != want {
			t.Errorf("%s: %q, want %q", p.name, got, want)
		}
	}
	if n := recordSize(f); n != int64(len(want)) {
		t.Errorf("recordSize = %d, want %d", n, len(want))
	}
}

// File sizes around all the places where a buffer ends.
func TestSameStream(t *testing.T) {
	files := make(map[string][]byte)
	for i, size := range []int{0, 1, 2, 4095, 4096, 4097,
		chunk/4 - 1, chunk / 4, chunk/4 + 1,
		chunk - overhead - 9, chunk - overhead - 8, chunk - overhead - 7, chunk - overhead - 6, chunk - overhead - 5, chunk - overhead - 4,
		chunk - 1, chunk, chunk + 1, 2*chunk - 31, 2*chunk - 30, 3*chunk + 17, 0,
	} {
		name := string(rune('a'+i)) + "/é.bin" // 8 bytes
		files[name] = content(size, i)
	}
	tr := makeTree(t, files)
	want := write(t, usual{}, tr)
	if int64(len(want)) != tr.streamSize() {
		t.Fatalf("the stream has %d bytes, want %d", len(want), tr.streamSize())
	}
	for _, p := range programs {
		if !bytes.Equal(write(t, p.start(), tr), want) {
			t.Errorf("%s writes another stream", p.name)
		}
		if err := p.start().verify(tr.files, bytes.NewReader(want)); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		if err := p.start().verify(tr.files, iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(want)))); err != nil {
			t.Errorf("%s from a slow reader: %v", p.name, err)
		}
	}
}

func TestNoFiles(t *testing.T) {
	for _, p := range programs {
		if err := p.start().verify(nil, strings.NewReader("")); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

// Every program notices every byte of the stream that is wrong, missing or too
// many.
func TestDamage(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"empty": nil, "small": []byte("abc"), "sub/other": content(100, 1)})
	stream := write(t, usual{}, tr)
	for _, p := range programs {
		fails := func(what string, at int, stream []byte) {
			t.Helper()
			if p.start().verify(tr.files, bytes.NewReader(stream)) == nil {
				t.Errorf("%s: byte %d %s: not seen", p.name, at, what)
			}
		}
		for i := range stream {
			for _, bit := range []byte{1, 0x80} {
				stream[i] ^= bit
				fails("flipped", i, stream)
				stream[i] ^= bit
			}
			fails("and the rest missing", i, stream[:i])
		}
		fails("too many", len(stream), append(bytes.Clone(stream), 0))
		if err := p.start().verify(tr.files, bytes.NewReader(stream)); err != nil {
			t.Errorf("%s: the whole stream: %v", p.name, err)
		}
	}
}

// A damaged byte in the middle of a file that is larger than every buffer is
// noticed.
func TestDamageBig(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"big": content(3*chunk, 1)})
	stream := write(t, usual{}, tr)
	for _, p := range programs {
		for _, at := range []int{chunk - 1, chunk, 2*chunk + 5, len(stream) - 1} {
			stream[at] ^= 4
			err := p.start().verify(tr.files, bytes.NewReader(stream))
			if err == nil || !strings.Contains(err.Error(), "big") {
				t.Errorf("%s: byte %d flipped: %v", p.name, at, err)
			}
			stream[at] ^= 4
		}
	}
}

// A file that changed after it was listed causes an error that names it, either
// while writing or while verifying.
func TestFileChanged(t *testing.T) {
	for _, size := range []int{0, 1, 1000, chunk - 1, chunk + 1, 2 * chunk} {
		for _, p := range programs {
			for _, tc := range []struct {
				name string
				data []byte // nil: the file is removed
				want string
				is   error
			}{
				{"longer", content(size+1, 0), "changed while it was read", nil},
				{"much longer", content(size+3*chunk, 0), "changed while it was read", nil},
				{"shorter", content(size-min(size, 1), 0), "changed while it was read", nil},
				{"empty", []byte{}, "changed while it was read", nil},
				{"other", content(size, 1), "the contents differ", nil},
				{"removed", nil, "", os.ErrNotExist},
			} {
				tr := makeTree(t, map[string][]byte{"a": []byte("a"), "f": content(size, 0), "z": []byte("z")})
				path := tr.files[1].path
				stream := write(t, p.start(), tr)
				if tc.data == nil {
					os.Remove(path)
				} else {
					if bytes.Equal(tc.data, content(size, 0)) {
						continue
					}
					if err := os.WriteFile(path, tc.data, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				check := func(verb string, err error) {
					t.Helper()
					right := errors.Is(err, tc.is)
					if tc.is == nil {
						right = err != nil && strings.Contains(err.Error(), tc.want)
					}
					if !right || !strings.Contains(err.Error(), path) {
						t.Errorf("%s: size %d, file %s: %s: %v", p.name, size, tc.name, verb, err)
					}
				}
				if err := p.start().write(tr.files, io.Discard); tc.name != "other" {
					check("write", err)
				}
				check("verify", p.start().verify(tr.files, bytes.NewReader(stream)))
			}
		}
	}
}

// hook calls f before the first write.
type hook struct {
	w io.Writer
	f func()
}

func (h *hook) Write(p []byte) (int, error) {
	if h.f != nil {
		h.f()
		h.f = nil
	}
	return h.w.Write(p)
}

// A file that is truncated or grows while it is read is noticed at the latest
// when the stream is compared with it.
func TestFileChangesMeanwhile(t *testing.T) {
	for _, p := range programs {
		for name, size := range map[string]int64{"cut": 2*chunk + 1, "grown": 5 * chunk} {
			tr := makeTree(t, map[string][]byte{"big": content(4*chunk, 0)})
			var stream bytes.Buffer
			err := p.start().write(tr.files, &hook{&stream, func() {
				if err := os.Truncate(tr.files[0].path, size); err != nil {
					t.Error(err)
				}
			}})
			if err == nil {
				err = p.start().verify(tr.files, &stream)
			}
			if err == nil || !strings.Contains(err.Error(), "changed while it was read") {
				t.Errorf("%s: %s: %v", p.name, name, err)
			}
		}
	}
}

// failing fails after n bytes.
type failing struct{ n int }

var errFull = errors.New("disk full")

func (w *failing) Write(p []byte) (int, error) {
	if len(p) > w.n {
		return w.n, errFull
	}
	w.n -= len(p)
	return len(p), nil
}

func TestStreamErrors(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"a": content(chunk, 0), "b": content(10, 1)})
	stream := write(t, usual{}, tr)
	for _, p := range programs {
		for _, n := range []int{0, 10, chunk - 1, chunk + 10, len(stream) - 1} {
			if err := p.start().write(tr.files, &failing{n}); !errors.Is(err, errFull) {
				t.Errorf("%s: the writer fails after %d bytes: %v", p.name, n, err)
			}
			r := io.MultiReader(bytes.NewReader(stream[:n]), iotest.ErrReader(errFull))
			if err := p.start().verify(tr.files, r); !errors.Is(err, errFull) {
				t.Errorf("%s: the reader fails after %d bytes: %v", p.name, n, err)
			}
		}
		r := io.MultiReader(bytes.NewReader(stream), iotest.ErrReader(errFull))
		if err := p.start().verify(tr.files, r); err == nil {
			t.Errorf("%s: the reader's error at the end is lost", p.name)
		}
	}
}
