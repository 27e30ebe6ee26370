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

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/profile"
	"github.com/octet-go/octet/internal/testenv"
)

const name = "octet.test"

// outstanding is the content of the published profile.
var outstanding struct {
	mu      sync.Mutex
	samples []profile.Sample
}

var published = profile.Publish(name, func() []string { return []string{"Buffers of a test.", "And why."} }, func() []profile.Sample {
	outstanding.mu.Lock()
	defer outstanding.mu.Unlock()
	return outstanding.samples
})

//go:noinline
func hold(size int) {
	outstanding.mu.Lock()
	defer outstanding.mu.Unlock()
	outstanding.samples = append(outstanding.samples, profile.Sample{Stack: here(32), Count: 1, Bytes: int64(size)})
}

func drop() {
	outstanding.mu.Lock()
	defer outstanding.mu.Unlock()
	outstanding.samples = nil
}

func TestPublish(t *testing.T) {
	if !published {
		t.Skip("nothing is published in this build")
	}
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	for range 3 {
		hold(4096)
	}
	defer drop()

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
	if text := get(t, url+"?debug=1"); !regexp.MustCompile(`3: 12288 @ .*\n#.*profile_test\.hold\+.*\n#.*profile_test\.TestPublish`).Match(text) {
		t.Errorf("the text is\n%s", text)
	}

	type view struct{ index, want string }
	views := []view{
		{"buffers", `(?s)Type: buffers.* 3 +100% +100% .*profile_test\.hold`},
		{"space", `(?s)Type: space.* 12kB +100% +100% .*profile_test\.hold`},
	}
	if comments := pprofTool(t, "-comments", url); !strings.Contains(comments, "Buffers of a test.\nAnd why.\n") {
		t.Errorf("the notes are %q", comments)
	}
	if text := get(t, url+"?debug=1"); !bytes.HasPrefix(text, []byte("# Buffers of a test.\n# And why.\nprofile: 3 buffers, 12288 bytes\n")) {
		t.Errorf("the text does not begin with the notes:\n%s", text)
	}
	for _, view := range views {
		if out := pprofTool(t, "-top", "-sample_index="+view.index, url); !regexp.MustCompile(view.want).MatchString(out) {
			t.Errorf("no match for %s in:\n%s", view.want, out)
		}
	}

	drop()
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

// TestPublished sees that runtime/pprof asks in each release of Go that octet supports,
// except in portable builds.
func TestPublished(t *testing.T) {
	if purego := strings.Contains(testenv.BuildSetting("-tags"), "octet_purego"); published == purego {
		t.Errorf("Publish returned %v", published)
	}
}

// TestOctet sees that the profile of a pool leaves out others, although they have its
// name.
func TestOctet(t *testing.T) {
	checktest.Start(t, check.Config{Mode: check.Full})
	one, other := bytespool.NewCapacityPools(64, 1024, bytespool.WithName("p")), bytespool.NewCapacityPools(64, 1024, bytespool.WithName("p"))
	defer one.Release(one.New(128))
	defer other.Release(other.New(1024))
	for o, want := range map[check.Owner]string{nil: "profile: 2 buffers, 1152 bytes", engine.Of(one): "profile: 1 buffers, 128 bytes"} {
		var text strings.Builder
		if err := profile.Octet(&text, 1, o); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"# Mode full", want} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%q is not in\n%s", want, &text)
			}
		}
		if named := strings.Contains(text.String(), `with the name "p"`); named != (o != nil) {
			t.Errorf("the text is\n%s", &text)
		}
	}
}

func TestPublishTwice(t *testing.T) {
	if !published {
		t.Skip("nothing is published in this build")
	}
	defer func() {
		if recover() == nil {
			t.Error("a second profile of the same name")
		}
	}()
	profile.Publish(name, nil, nil)
}

// TestCountIsBounded sees a count that is larger than an int.
func TestCountIsBounded(t *testing.T) {
	ok := profile.Publish("octet.test.large", nil, func() []profile.Sample {
		return []profile.Sample{{Stack: nil, Count: math.MaxInt64, Bytes: 1}, {Stack: nil, Count: math.MaxInt64, Bytes: 1}}
	})
	if !ok {
		t.Skip("nothing is published in this build")
	}
	if n := pprof.Lookup("octet.test.large").Count(); n != math.MaxInt {
		t.Errorf("Count() = %d", n)
	}
}

// TestConcurrently reads the profile while it changes.
func TestConcurrently(t *testing.T) {
	if !published {
		t.Skip("nothing is published in this build")
	}
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			for range 20 {
				if i%2 == 0 {
					hold(100)
					drop()
				} else if err := pprof.Lookup(name).WriteTo(io.Discard, i/2%2); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}
