package sample

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func saved() *Run {
	return &Run{
		Env: Env{Time: "2026-11-01T12:00:00Z", CPU: "a CPU", Cores: 2, GOMAXPROCS: 2, GOOS: "linux", GOARCH: "amd64",
			Go: "go1.26.0", Octet: "v0.1.0", Modules: map[string]string{"example.com/rival": "v1.2.3"}, Command: "octet bench"},
		Rounds: 3,
		Groups: []Group{{Name: "g", About: "a < b", Rows: []Row{{
			Name: "op=x/size=1", Bytes: 7, Floor: "loop", Unit: "idle-B", Aside: "Not a contest.", Against: "octet",
			Contestants: []Contestant{
				{Name: "octet", Ours: true, N: 10, Samples: map[string][]float64{Time: {1.5, 2.25}, Bytes: {0, 0}, Allocs: {0, 0}, "idle-B": {3}}},
				{Name: "loop", N: 20, Samples: map[string][]float64{Time: {1, 1e-3}, Bytes: {0, 0}, Allocs: {0, 0}}},
			},
		}}}},
	}
}

// A run is read back as it was, with a verdict or without one, as older
// programs wrote it.
func TestRoundTrip(t *testing.T) {
	for _, verdict := range []any{nil, map[string]any{"groups": 1, "rounds": "none"}} {
		var b bytes.Buffer
		if err := Encode(&b, saved(), verdict); err != nil {
			t.Fatal(err)
		}
		if first := strings.Contains(b.String(), "\"version\": 1,\n \"verdict\""); first != (verdict != nil) {
			t.Errorf("verdict %v: %.100s", verdict, b.String())
		}
		got, err := Decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, saved()) {
			t.Errorf("verdict %v: read back as %+v", verdict, got)
		}
	}
}

// Data that is not a saved run is rejected with an error that says why.
func TestDecodeRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := Encode(&b, saved(), nil); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	replace := func(old, new string) string {
		s := strings.Replace(good, old, new, 1)
		if s == good {
			t.Fatalf("%q is not in the saved run", old)
		}
		return s
	}
	for _, tt := range []struct{ name, data, says string }{
		{"empty", "", "broken JSON"},
		{"no JSON", "hello", "broken JSON in line 1"},
		{"cut off", good[:len(good)/2], "broken JSON in line"},
		{"an array", "[1, 2]", "not a run"},
		{"null", "null", "not a run"},
		{"another document", `{"name": "x", "version": "1.0"}`, "not a run"},
		{"another schema", replace(`"octet bench"`, `"benchstat"`), "not a run"},
		{"a schema that is no string", replace(`"octet bench"`, `["octet bench"]`), "not a run"},
		{"a newer version", replace(`"version": 1`, `"version": 2`), "version 2"},
		{"no version", replace(`"version": 1,`, ``), "version 0"},
		{"groups of another type", replace(`"groups": [`, `"groups": 1, "x": [`), "damaged"},
		{"a missing unit", replace(`"B/op"`, `"b/op"`), "0 samples of B/op"},
		{"uneven samples", replace("1.5,", ""), "samples of"},
		{"no operations", replace(`"n": 10`, `"n": 0`), "samples of 0 operations"},
		{"a negative time", replace("1.5,", "-1.5,"), "sample of -1.5"},
		{"a number beyond all", replace("1.5,", "1e999,"), "damaged"},
		{"a time that nothing takes", replace("1.5,", "1e308,"), "sample of 1e+308"},
		{"a ratio that is infinite", replace("1.5,", "5e-324,"), "sample of 5e-324"},
		{"an escape in the environment", replace("a CPU", `\u001b[2Ja CPU`), `the text "\x1b[2Ja CPU"`},
		{"a control character of 8 bits", replace("v1.2.3", "\u009b2J"), `the text "\u009b2J"`},
		{"a name that runs backwards", replace("op=x", `\u202eop=x`), "cannot be printed"},
	} {
		_, err := Decode([]byte(tt.data))
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v; should speak of %q", tt.name, err, tt.says)
		}
	}
}

// A reader ignores fields that a newer writer adds.
func TestDecodeIgnoresFields(t *testing.T) {
	var b bytes.Buffer
	if err := Encode(&b, saved(), nil); err != nil {
		t.Fatal(err)
	}
	data := strings.Replace(b.String(), `"cpu"`, `"colour": "blue", "cpu"`, 1)
	if _, err := Decode([]byte(data)); err != nil {
		t.Error(err)
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
