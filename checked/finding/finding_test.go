package finding

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

//go:noinline
func here() []uintptr {
	pcs := make([]uintptr, 16)
	return pcs[:runtime.Callers(1, pcs)]
}

func TestError(t *testing.T) {
	r := &Report{
		Code: DoubleRelease, What: "released twice",
		Object: "slice", Size: 4096, Pool: "default",
		Age: 1234567 * time.Microsecond, Idle: 3 * time.Millisecond,
		Acquired: here(), Now: here(),
	}
	text := r.Error()
	const head = "octet: OCT003: released twice\n" +
		"slice of 4096 bytes from pool \"default\", acquired 1.23s ago, released 3ms ago\n" +
		"acquired:\n\tgithub.com/octet-go/octet/checked/finding.here\n\t\t"
	if !strings.HasPrefix(text, head) {
		t.Errorf("got %q, want a text that begins with %q", text, head)
	}
	if strings.Contains(text, "released:") {
		t.Error("a stack that is not known is shown")
	}
	if n := strings.Count(text, "finding.TestError\n"); n != 2 {
		t.Errorf("TestError stands in %d stacks, want 2:\n%s", n, text)
	}
	if strings.Contains(text, "runtime.") {
		t.Errorf("frames of the runtime are shown:\n%s", text)
	}
}

func TestUnknownIsLeftOut(t *testing.T) {
	r := &Report{Code: ForeignRelease, What: "foreign slice released", Object: "slice", Size: 8}
	const want = "octet: OCT007: foreign slice released\nslice of 8 bytes from a pool without a name"
	if got := r.Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestShortStack sees a stack of a single function.
func TestShortStack(t *testing.T) {
	r := &Report{Acquired: here()[:1]}
	if s := r.Error(); !strings.Contains(s, "\nacquired:\n\tgithub.com/octet-go/octet/checked/finding.here\n\t\t") {
		t.Errorf("it is not shown: %q", s)
	}
}

func TestCountIsShown(t *testing.T) {
	r := &Report{Object: "slice", Pool: "p"}
	for count, want := range map[int]string{0: "", 1: "", 2: "; found 2 times so far", 10: "; found 10 times so far"} {
		r.Count = count
		if got := r.Error(); !strings.HasSuffix(got, `pool "p"`+want) {
			t.Errorf("Count %d: %q", count, got)
		}
	}
}

// TestShort sees durations of about three digits.
func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1:                      "1ns",
		999:                    "999ns",
		1000:                   "1µs",
		9804:                   "9.8µs",
		12345:                  "12.3µs",
		999_999:                "1ms",
		1_234_567:              "1.23ms",
		61*time.Second + 123e6: "1m1.1s",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%d) = %s, want %s", d, got, want)
		}
	}
}
