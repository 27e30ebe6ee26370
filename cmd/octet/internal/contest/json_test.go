package contest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func saved() *Result {
	return &Result{
		Env: Env{Time: "2026-11-01T12:00:00Z", CPU: "a CPU", Cores: 2, GOMAXPROCS: 2, GOOS: "linux", GOARCH: "amd64",
			Go: "go1.26.0", Octet: "v0.1.0", Modules: map[string]string{"example.com/rival": "v1.2.3"}, Command: "octet bench"},
		Rounds: 3,
		Groups: []Group{{Name: "g", About: "a < b", Rows: []Row{{
			Name: "op=x/size=1", Unit: "idle-B", Aside: "Not a contest.", Peer: "loop", About: "Nothing.",
			Contestants: []Contestant{
				{Name: "octet", Ours: true, N: 10, Samples: map[string][]float64{Time: {1.5, 2.25}, Bytes: {0, 0}, Allocs: {0, 0}, "idle-B": {3}}},
				{Name: "loop", N: 20, Samples: map[string][]float64{Time: {1, 1e-3}, Bytes: {0, 0}, Allocs: {0, 0}}},
			},
		}}}},
	}
}

// Programs read a run as it was, with a verdict or without one.
func TestRoundTrip(t *testing.T) {
	for _, verdict := range []any{nil, map[string]any{"groups": 1, "rounds": "none"}} {
		var b bytes.Buffer
		if err := Encode(&b, saved(), verdict); err != nil {
			t.Fatal(err)
		}
		if first := strings.Contains(b.String(), "\"version\": 1,\n \"verdict\""); first != (verdict != nil) {
			t.Errorf("verdict %v: %.100s", verdict, b.String())
		}
		got := new(Result)
		if err := json.Unmarshal(b.Bytes(), got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, saved()) {
			t.Errorf("verdict %v: read back as %+v", verdict, got)
		}
	}
}

func TestUnits(t *testing.T) {
	c := saved().Groups[0].Rows[0].Contestants[0]
	if got, want := c.Units(), []string{Time, Bytes, Allocs, "idle-B"}; !reflect.DeepEqual(got, want) {
		t.Errorf("units %v, want %v", got, want)
	}
	if n := saved().Made(); n != 2 {
		t.Errorf("%d rounds made", n)
	}
	if n := saved().Groups[0].Rows[0].Rounds(); n != 2 {
		t.Errorf("%d rounds", n)
	}
}
