//go:build !octet_purego

package swap

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestDetectAVX2 compares with what the kernel reports, if it does.
func TestDetectAVX2(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists the processor's features in a file")
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`(?m)^flags\s*:(.*)$`).FindSubmatch(info)
	if flags == nil {
		t.Fatal("no flags in /proc/cpuinfo")
	}
	if want := slices.Contains(strings.Fields(string(flags[1])), "avx2"); haveShuffle != want {
		t.Fatalf("detected AVX2: %v, Linux says %v", haveShuffle, want)
	}
}

// TestWithoutAVX2 tests what runs on processors without AVX2.
func TestWithoutAVX2(t *testing.T) {
	defer func(had bool) { haveShuffle = had }(haveShuffle)
	haveShuffle = false
	TestEveryLengthAndAlignment(t)
}
