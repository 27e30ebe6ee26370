package profile_test

import (
	"bytes"
	"io"
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

var published = profile.Publish()

// TestPublished sees that runtime/pprof asks in each release of Go that octet supports,
// except in portable builds.
func TestPublished(t *testing.T) {
	if published == testenv.PureGo() {
		t.Errorf("Publish returned %v", published)
	}
}

//go:noinline
func hold() []byte { return bytespool.New(4096) }

func TestPublish(t *testing.T) {
	if !published {
		t.Skip("nothing is published in this build")
	}
	checktest.Start(t, check.Config{Mode: check.Full})
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	held := [][]byte{hold(), hold(), hold()}

	p := pprof.Lookup("octet")
	if n := p.Count(); n != 3 {
		t.Errorf("Count() = %d, want 3", n)
	}
	if !regexp.MustCompile(`>3</td><td><a href='octet\?debug=1'>`).Match(get(t, server.URL+"/debug/pprof/")) {
		t.Error("net/http/pprof does not list 3 buffers")
	}
	url := server.URL + "/debug/pprof/octet"
	text := get(t, url+"?debug=1")
	if notes := "# " + strings.Join(check.Notes(), "\n# ") + "\nprofile: 3 buffers, 12288 bytes\n"; !bytes.HasPrefix(text, []byte(notes)) {
		t.Errorf("the text does not begin with %q:\n%s", notes, text)
	}
	if !regexp.MustCompile(`\d: \d+ @ .*\n#.*bytespool\.New\+.*\n#.*profile_test\.hold\+.*\n#.*profile_test\.TestPublish`).Match(text) {
		t.Errorf("the text is\n%s", text)
	}
	if comments := pprofTool(t, "-comments", url); !strings.Contains(comments, strings.Join(check.Notes(), "\n")) {
		t.Errorf("the notes are %q", comments)
	}
	for index, want := range map[string]string{
		"buffers": `(?s)Type: buffers.* 3 +100% .*profile_test\.hold`,
		"space":   `(?s)Type: space.* 12kB +100% .*profile_test\.hold`,
	} {
		if out := pprofTool(t, "-top", "-cum", "-sample_index="+index, url); !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no match for %s in:\n%s", want, out)
		}
	}

	for _, b := range held {
		bytespool.Release(b)
	}
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

// TestOctet sees that the profile of a pool leaves out others, although they have its
// name.
func TestOctet(t *testing.T) {
	checktest.Start(t, check.Config{Mode: check.Full})
	one, other := bytespool.NewPool(bytespool.WithSizes(64, 1024), bytespool.WithName("p")), bytespool.NewPool(bytespool.WithSizes(64, 1024), bytespool.WithName("p"))
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

// TestConcurrently reads the profile while it changes.
func TestConcurrently(t *testing.T) {
	checktest.Start(t, check.Config{Mode: check.Full})
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			for range 20 {
				if i%2 == 0 {
					bytespool.Release(hold())
				} else if err := profile.Octet(io.Discard, i/2%2, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}
