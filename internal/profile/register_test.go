package profile_test

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"regexp"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/octet-go/octet/internal/profile"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

const name = "octet.test"

// outstanding is the content of the registered profile. If the profile cannot ask for
// it, hold and drop add and remove the same.
var outstanding struct {
	mu      sync.Mutex
	samples []profile.Sample
}

var registered = profile.Register(name, func() []string { return []string{"Buffers of a test.", "And why."} }, func() []profile.Sample {
	outstanding.mu.Lock()
	defer outstanding.mu.Unlock()
	return outstanding.samples
})

//go:noinline
func hold(key, size int) {
	outstanding.mu.Lock()
	defer outstanding.mu.Unlock()
	outstanding.samples = append(outstanding.samples, profile.Sample{Stack: here(32), Count: 1, Bytes: int64(size)})
	registered.Add(key, 0)
}

func drop(keys ...int) {
	outstanding.mu.Lock()
	defer outstanding.mu.Unlock()
	outstanding.samples = nil
	for _, key := range keys {
		registered.Remove(key)
	}
}

func TestRegister(t *testing.T) {
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	for i := range 3 {
		hold(i, 4096)
	}
	defer drop(0, 1, 2)

	p := pprof.Lookup(name)
	if p == nil {
		t.Fatal("runtime/pprof does not know the profile")
	}
	if n := p.Count(); n != 3 {
		t.Errorf("Count() = %d, want 3", n)
	}
	if !regexp.MustCompile(`>3</td><td><a href='octet\.test\?debug=1'>`).Match(get(t, server.URL+"/debug/pprof/")) {
		t.Error("net/http/pprof does not list 3 buffers")
	}
	url := server.URL + "/debug/pprof/" + name
	if text := get(t, url+"?debug=1"); !regexp.MustCompile(`3(: 12288)? @ .*\n#.*profile_test\.hold\+.*\n#.*profile_test\.TestRegister`).Match(text) {
		t.Errorf("the text is\n%s", text)
	}

	type view struct{ index, want string }
	views := []view{{"0", `3 +100% .*profile_test\.hold`}}
	if registered.Asks() {
		views = []view{
			{"buffers", `(?s)Type: buffers.* 3 +100% +100% .*profile_test\.hold`},
			{"space", `(?s)Type: space.* 12kB +100% +100% .*profile_test\.hold`},
		}
		if comments := pprofTool(t, "-comments", url); !strings.Contains(comments, "Buffers of a test.\nAnd why.\n") {
			t.Errorf("the notes are %q", comments)
		}
		if text := get(t, url+"?debug=1"); !bytes.HasPrefix(text, []byte("# Buffers of a test.\n# And why.\nprofile: 3 buffers, 12288 bytes\n")) {
			t.Errorf("the text does not begin with the notes:\n%s", text)
		}
	}
	for _, view := range views {
		if out := pprofTool(t, "-top", "-sample_index="+view.index, url); !regexp.MustCompile(view.want).MatchString(out) {
			t.Errorf("no match for %s in:\n%s", view.want, out)
		}
	}

	drop(0, 1, 2)
	if n := p.Count(); n != 0 {
		t.Errorf("Count() = %d when nothing is left", n)
	}
}

func get(t *testing.T, url string) []byte {
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, response.Status, err)
	}
	return body
}

// TestAsks sees that the profile asks for its content in each release of Go that was
// tested, except in portable builds.
func TestAsks(t *testing.T) {
	purego := strings.Contains(testenv.BuildSetting("-tags"), "octet_purego")
	if want := rt.Tested && !purego; registered.Asks() != want {
		t.Errorf("Asks() = %v, want %v", registered.Asks(), want)
	}
}

func TestRegisterTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a second profile of the same name")
		}
	}()
	profile.Register(name, nil, nil)
}

// TestCountIsBounded sees a count that is larger than an int.
func TestCountIsBounded(t *testing.T) {
	p := profile.Register("octet.test.large", nil, func() []profile.Sample {
		return []profile.Sample{{nil, math.MaxInt64, 1}, {nil, math.MaxInt64, 1}}
	})
	if n := pprof.Lookup("octet.test.large").Count(); p.Asks() && n != math.MaxInt {
		t.Errorf("Count() = %d", n)
	}
}

// TestConcurrently reads the profile while it changes.
func TestConcurrently(t *testing.T) {
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			for range 20 {
				if i%2 == 0 {
					hold(100+i, 100)
					drop(100 + i)
				} else if err := pprof.Lookup(name).WriteTo(io.Discard, i/2%2); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}
