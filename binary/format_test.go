package binary_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"go/build"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/octet-go/octet/binary"
)

// goFile returns a file of Go's own source tree.
func goFile(path string) []byte {
	file, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(path)))
	if err != nil {
		panic(err)
	}
	return file
}

// at returns a decoder of file from off on. It fails if the file is shorter.
func at[O binary.Order](file []byte, off uint64) binary.Decoder[O] {
	d := binary.NewDecoder[O](file)
	d.Skip(int(min(off, uint64(len(file))+1)))
	return d
}

// The parsers of the examples agree with those of the standard library on real files.
// They fail, or return the beginning, for every truncation, and neither panic nor use
// much memory for changed bytes.
func TestFormats(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parse func([]byte) ([]string, error)
		std   func([]byte) ([]string, error)
		files []string
	}{
		{"png", pngChunks, stdPNG, []string{"image/png/testdata/gray-gradient.png", "image/png/testdata/benchPaletted.png", "image/testdata/video-001.png"}},
		{"elf", elfEither, stdELF, []string{"debug/elf/testdata/gcc-386-freebsd-exec", "debug/elf/testdata/gcc-amd64-linux-exec", "debug/elf/testdata/go-relocation-test-gcc531-s390x.obj", "debug/elf/testdata/go-relocation-test-gcc5-ppc.obj"}},
	} {
		for _, path := range tt.files {
			file := goFile(path)
			want, err := tt.std(file)
			got, ourErr := tt.parse(file)
			if err != nil || ourErr != nil || len(want) == 0 || tt.name != "png" && !slices.Equal(got, want) || tt.name == "png" && got[0] != want[0] {
				t.Errorf("%s: %q, %v; want %q, %v", path, got, ourErr, want, err)
				continue
			}
			for n := range file {
				part, err := tt.parse(file[:n])
				if err == nil && !slices.Equal(part, got[:min(len(part), len(got))]) {
					t.Errorf("the first %d bytes of %s: %q", n, path, part)
				}
			}
			flips := 10_000
			if testing.Short() {
				flips = 1000
			}
			const batch = 100
			most := uint64(batch * (4096 + 16*len(file)))
			random := rand.New(rand.NewPCG(1, uint64(len(file))))
			for range flips / batch {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range batch {
					i, was := random.IntN(len(file)), byte(0)
					was, file[i] = file[i], byte(random.Uint32())
					tt.parse(file)
					file[i] = was
				}
				if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > most {
					t.Errorf("%s of %d bytes: %d bytes allocated for each change", path, len(file), (after.TotalAlloc-before.TotalAlloc)/batch)
				}
			}
		}
	}
}

// elfEither is elfSections in the byte order of the file.
func elfEither(file []byte) ([]string, error) {
	if len(file) > 5 && file[5] == 2 {
		return elfSections[binary.Big](file)
	}
	return elfSections[binary.Little](file)
}

func stdPNG(file []byte) ([]string, error) {
	if _, err := png.Decode(bytes.NewReader(file)); err != nil {
		return nil, err
	}
	c, err := png.DecodeConfig(bytes.NewReader(file))
	return []string{fmt.Sprintf("IHDR %dx%d", c.Width, c.Height)}, err
}

func stdELF(file []byte) (sections []string, err error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	for _, s := range f.Sections {
		sections = append(sections, fmt.Sprintf("%s %#x %d", s.Name, s.Addr, s.FileSize))
	}
	return sections, nil
}
