package bench

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

func TestLoad(t *testing.T) {
	defer func(p fs.FS) { proc = p }(proc)
	read := func(machine, self string) load {
		proc = fstest.MapFS{"stat": {Data: []byte(machine)}, "self/stat": {Data: []byte(self)}}
		return readLoad()
	}
	if runtime.GOOS == "linux" {
		if l := readLoad(); l.all <= l.idle || l.own > l.all {
			t.Errorf("of this machine: %+v", l)
		}
	}
	const self = "7 (a (b) name) R 1 7 7 0 -1 4194560 100 0 0 0 300 40 5 6 20 0 1 0 100"
	before := read("cpu  1000 10 200 5000 50 5 5 30 900 0\ncpu0 1 2 3\n", self)
	if want := (load{all: 6300, idle: 5050, own: 351}); before != want {
		t.Errorf("%+v, want %+v", before, want)
	}
	for _, none := range [][2]string{{"", ""}, {"", self}, {"cpu 1 2 3", self}} {
		if l := others(load{}, read(none[0], none[1])); l != 0 {
			t.Errorf("%q: others use %v", none, l)
		}
	}
	for _, tt := range []struct {
		name           string
		all, idle, own float64
		want           float64
	}{
		{"nothing ran", 0, 0, 0, 0},
		{"alone on two processors", 200, 95, 100, 0},
		{"alone on all", 200, 0, 199, 0},
		{"beside another on two", 200, 0, 100, 0.5},
		{"beside many on many", 6400, 3000, 100, 0},
		{"beside one on all", 200, 2, 168, 0.15},
	} {
		if got := others(load{}, load{tt.all, tt.idle, tt.own}); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A clock is a /proc of two processors by the clock of a bubble, on which others run alone.
// They come after some time.
type clock struct {
	began time.Time
	quiet time.Duration
}

func (c clock) Open(name string) (fs.File, error) {
	ticks := int(time.Since(c.began) / (5 * time.Millisecond)) // of both
	idle := min(ticks, int(c.quiet/(5*time.Millisecond)))
	return fstest.MapFS{
		"stat":      {Data: fmt.Appendf(nil, "cpu %d 0 0 %d 0 0 0 0 0 0\n", ticks-idle, idle)},
		"self/stat": {Data: []byte("7 (name) R 1 7 7 0 -1 4194560 100 0 0 0 0 0 0 0 20 0 1 0 100")},
	}.Open(name)
}

// A loaded machine is reported once, and within the first second; one that is loaded later
// is not, but has no verdict either.
func TestWarning(t *testing.T) {
	defer func(p fs.FS) { proc = p }(proc)
	for quiet, want := range map[time.Duration]int{0: 1, 700 * time.Millisecond: 0, time.Hour: 0} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			proc = clock{began, quiet}
			var stderr, stdout strings.Builder
			src := Source(func() []contest.Group {
				return []contest.Group{{Name: "a", Rows: []contest.Row{{Name: "x=1", Contestants: []contest.Contestant{{Name: "octet",
					Start: func() func(int) {
						if time.Since(began) > time.Second && strings.Count(stderr.String(), "\n") != want {
							t.Errorf("a second after the beginning stderr has %q, want %d warnings", stderr.String(), want)
						}
						return func(n int) { time.Sleep(time.Duration(n) * time.Millisecond) }
					}}}}}}}
			})
			f := flags{rounds: 100, time: time.Minute, maxSlice: maxSlice}
			if err := f.bench(t.Context(), src, &stdout, &stderr); err != nil {
				t.Fatal(err)
			}
			if strings.Count(stderr.String(), "Warning: this machine is loaded. Other programs use 100 %") != want {
				t.Errorf("quiet for %v: stderr has %q, want %d warnings", quiet, stderr.String(), want)
			}
			if loaded := strings.Contains(stdout.String(), "this machine was loaded"); loaded != (quiet < time.Hour) {
				t.Errorf("quiet for %v: the verdict speaks of load: %v", quiet, loaded)
			}
		})
	}
}
