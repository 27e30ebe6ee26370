package binary_test

import (
	"bytes"
	"fmt"
	"go/build"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// goFile returns a file of Go's own source tree.
func goFile(path string) []byte {
	file, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(path)))
	if err != nil {
		panic(err)
	}
	return file
}

// The parser of the example agrees with image/png on real files. It fails, or returns the
// beginning, for every truncation, and neither panics nor uses much memory for changed bytes.
func TestFormats(t *testing.T) {
	for _, path := range []string{"image/png/testdata/gray-gradient.png", "image/png/testdata/benchPaletted.png", "image/testdata/video-001.png"} {
		file := goFile(path)
		want, err := png.DecodeConfig(bytes.NewReader(file))
		got, ourErr := pngChunks(file)
		if err != nil || ourErr != nil || got[0] != fmt.Sprintf("IHDR %dx%d", want.Width, want.Height) {
			t.Errorf("%s: %q, %v; want %v, %v", path, got, ourErr, want, err)
			continue
		}
		for n := range file {
			part, err := pngChunks(file[:n])
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
				pngChunks(file)
				file[i] = was
			}
			if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > most {
				t.Errorf("%s of %d bytes: %d bytes allocated for each change", path, len(file), (after.TotalAlloc-before.TotalAlloc)/batch)
			}
		}
	}
}
